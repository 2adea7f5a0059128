/** Texts of a decision in words. */
export const narrativeTexts = {
  title: 'The decision in words',
  about:
    'Sentences that state facts of the trace and the record, and nothing else. Those for a regulator are recorded in the audit log.',
  reader: 'Reader',
  readers: { regulator: 'Regulator', agent: 'Agent', customer: 'Customer' },
  write: 'Describe decision',
  again: 'Describe again',
  reasons: 'Why the first offer won',
  blocked: 'Blocked offers',
  blockedOffer: (offer: string, reason: string) => `${offer}: ${reason}`,
  caveats: 'Keep in mind',
  none: 'None.',
  by: (model: string, at: string) =>
    model === 'template-v1' ? `Written from a template on ${at}.` : `Written by ${model} on ${at} and checked.`,
  fallback: "The language model's text failed a check, so this is the template's.",
};
