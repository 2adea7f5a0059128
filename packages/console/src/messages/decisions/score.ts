/** Texts about scores. Numbers arrive formatted. */

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
  emphasis: "The offer's priority as a percentage.",
  priority: 'The priority of the offer or creative as a percentage.',
  weight: 'The weight of the chosen creative as a percentage.',
  fit: 'Product of the penalties of failed match rules. 1 if none failed.',
};

export const methodNames: Readonly<Record<string, string>> = {
  formula: 'Formula',
  priority_weighted: 'Priority and weight',
  propensity: 'Propensity',
};

export const sourceTexts: Readonly<Record<string, string>> = {
  request: 'sent with the request',
  model: 'model score',
  offer: 'offer rate',
  offer_blend: 'offer rate blended with its category',
  category: 'category rate',
  global: 'rate across all offers',
  default: 'no evidence yet (default 0.5)',
};

export const maturityTexts: Readonly<Record<string, string>> = {
  cold_start: 'no outcomes yet',
  immature: 'few outcomes',
  maturing: 'some outcomes',
  mature: 'many outcomes',
};

export const rankMethods: Readonly<Record<string, string>> = {
  topN: 'score',
  diversity: 'diversity',
  round_robin: 'round robin',
  explore_exploit: 'exploration',
  epsilon_greedy: 'exploration (epsilon greedy)',
  softmax: 'exploration (softmax)',
  thompson: 'exploration (Thompson sampling)',
  ucb: 'exploration (upper confidence bound)',
  mandatory: 'mandatory status',
};

export const scoreTexts = {
  more: (name: string, percent: string) => `${name} ${percent} higher`,
  less: (name: string, percent: string) => `${name} ${percent} lower`,
  none: (name: string) => `${name} 0`,
  ahead: (own: string, other: string, percent: string) => `${own} scored ${percent} higher than ${other}`,
  behind: (own: string, other: string, percent: string) => `${own} scored ${percent} lower than ${other}`,
  equal: (own: string, other: string) => `${own} and ${other} scored the same`,
  because: (head: string, parts: string) => `${head}: ${parts}.`,
  plain: (head: string) => `${head}.`,
  and: (parts: readonly string[]) =>
    parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`,
  otherMethods: (own: string, other: string) =>
    `${own} and ${other} were scored with different methods, so their factors can't be compared.`,
  notByScore: (method: string) => `The ranking also uses ${method}.`,
  explored: (probability: string) => `Chosen by exploration with a probability of ${probability}.`,
} as const;
