/** Members of the sample workspace: see gallery/page/workspace.ts. */
export const ann = 'U01ANN';
export const ben = 'U02BEN';
export const chloe = 'U03CHLOE';

export const reviewChannel = 'C01REVIEW';
export const account = '3f9c2b7a5d1e8046';
