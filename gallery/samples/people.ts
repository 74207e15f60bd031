import { AccountId, ChannelId, MemberId } from '../../src/domain/terms.ts';

/** Members of the sample workspace: see gallery/page/workspace.ts. */
export const ann = MemberId.parse('U01ANN');
export const ben = MemberId.parse('U02BEN');
export const chloe = MemberId.parse('U03CHLOE');

export const reviewChannel = ChannelId.parse('C01REVIEW');
export const account = AccountId.parse('3f9c2b7a5d1e8046');
