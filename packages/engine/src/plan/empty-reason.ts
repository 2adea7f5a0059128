/** Stages that can remove the last candidate. */
const removingStages = [
  'inventory',
  'match_creatives',
  'enrich',
  'qualify',
  'suppression',
  'contact_policy',
  'filter',
  'score',
  'mandatory',
  'admission',
  'coupling',
  'conditional',
  'call_flow',
  'extension_point',
  'rank',
] as const;

export type RemovingStage = (typeof removingStages)[number];

/** Targets that leave nothing to decide: the channel or placement doesn't exist, or no placement is active. */
const emptyTargets = ['no_channel', 'no_placement', 'placement_inactive'] as const;

export type EmptyTarget = (typeof emptyTargets)[number];

/** Every reason that a decision without items can have. Records number them, so each must be listed here. */
export const emptyReasons = [...emptyTargets, ...removingStages] as const;

export type EmptyReason = (typeof emptyReasons)[number];
