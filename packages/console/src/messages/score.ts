/** Words about scores. Numbers come in written out. */

export const factorNames: Readonly<Record<string, string>> = {
  propensity: 'propensity',
  relevance: 'relevance',
  impact: 'impact',
  emphasis: 'emphasis',
  priority: 'priority',
  weight: 'creative weight',
  fit: 'fit',
};

export const factorHelp: Readonly<Record<string, string>> = {
  propensity: 'How likely a positive outcome is.',
  relevance: 'How well channel, recency and interests fit.',
  impact: 'What the offer is worth: business value, margin, revenue.',
  emphasis: 'The priority of the offer as a share.',
  priority: 'The priority of the offer, or of its creative, as a share.',
  weight: 'The weight of the chosen creative as a share.',
  fit: 'Product of the penalties of match rules that failed; 1 without.',
};

export const methodNames: Readonly<Record<string, string>> = {
  formula: 'Formula',
  priority_weighted: 'Priority and weight',
  propensity: 'Propensity',
};

export const sourceTexts: Readonly<Record<string, string>> = {
  request: 'sent with the request',
  model: 'score of the model',
  offer: 'rate of the offer',
  offer_blend: 'rate of the offer, blended with what is known around it',
  category: 'rate of the category',
  global: 'rate over all offers',
  default: 'no evidence yet: the middle, 0.5',
};

export const maturityTexts: Readonly<Record<string, string>> = {
  cold_start: 'no outcomes yet',
  immature: 'few outcomes',
  maturing: 'some outcomes',
  mature: 'many outcomes',
};

export const rankMethods: Readonly<Record<string, string>> = {
  topN: 'best score first',
  diversity: 'not twice of a kind',
  round_robin: 'one of each group in turn',
  explore_exploit: 'exploration',
  epsilon_greedy: 'exploration (epsilon greedy)',
  softmax: 'exploration (softmax)',
  thompson: 'exploration (Thompson sampling)',
  ucb: 'exploration (upper confidence bound)',
  mandatory: 'mandatory',
};

export const scoreTexts = {
  more: (name: string, percent: string) => `${name} ${percent} higher`,
  less: (name: string, percent: string) => `${name} ${percent} lower`,
  none: (name: string) => `${name} 0`,
  ahead: (own: string, other: string, percent: string) => `${own} scored ${percent} more than ${other}`,
  behind: (own: string, other: string, percent: string) => `${own} scored ${percent} less than ${other}`,
  equal: (own: string, other: string) => `${own} and ${other} scored the same`,
  because: (head: string, parts: string) => `${head}: ${parts}.`,
  plain: (head: string) => `${head}.`,
  and: (parts: readonly string[]) =>
    parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
  otherMethods: (own: string, other: string) =>
    `${own} and ${other} were scored by different methods, so no factor compares them.`,
  notByScore: (method: string) => `The order is not by score alone: ${method}.`,
  explored: (probability: string) => `Exploration drew it; the chance of that was ${probability}.`,
} as const;
