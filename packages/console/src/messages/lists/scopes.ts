/** Texts of the field that chooses what a rule or a policy applies to. */
export const scopeTexts = {
  label: 'Applies to',
  everything: 'Everything',
  some: 'Only what I choose',
  targets: 'Targets',
  target: (position: number) => `Target ${position}`,
  kind: 'Kind',
  record: 'Record',
  none: 'Add at least one target.',
  kinds: {
    segment: 'Segment',
    channel: 'Channel',
    category: 'Category',
    subcategory: 'Sub-category',
    offer: 'Offer',
    creative: 'Creative',
    placement: 'Placement',
  } as Readonly<Record<string, string>>,
} as const;
