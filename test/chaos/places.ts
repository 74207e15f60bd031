export const workspace = 'T0SANDBOX';
export const encryptionKey: Buffer = Buffer.alloc(32, 7);

/** Gets the cards and inbox messages of the workspace's shared account. */
export const sharedChannel = 'C01REVIEW';
/** Gets those of the account of the reviewer who is connected with a key of his own. */
export const ownChannel = 'C06OWN';
