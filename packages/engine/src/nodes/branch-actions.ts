/** What a conditional can do on either side. */
export const branchActions = ['continue', 'skip_to', 'drop_all', 'call_flow'] as const;

export type BranchAction = (typeof branchActions)[number];
