export const workspace = 'T0SANDBOX';
export const encryptionKey: Buffer = Buffer.alloc(32, 7);

/** The channel for cards and inbox messages of the workspace's shared account. */
export const sharedChannel = 'C01REVIEW';
/** The channel for those of the reviewer who has connected his own key. */
export const ownChannel = 'C06OWN';
