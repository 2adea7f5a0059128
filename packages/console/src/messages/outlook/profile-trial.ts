/** Texts of the comparison of rankings for one customer. */
export const profileTrialTexts = {
  title: 'Try these weights',
  lead: "Ranks a customer's first five offers by these weights in the default flow. Nothing is stored or counted.",
  customer: 'Customer ID',
  compare: 'Rank offers',
  noFlow: 'Publish a flow first',
  noCustomer: 'Enter a customer ID',
  noScore: 'Set a weight above 0. The default flow must score offers.',
  outdated: 'The weights or the customer changed since this ranking.',
  nothing: 'This customer gets no offers.',
  wasNot: 'not in the top five before',
  same: 'same place',
  was: (rank: string) => `was ${rank}`,
} as const;
