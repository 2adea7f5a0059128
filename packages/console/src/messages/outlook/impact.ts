const some = (count: string, one: string, many = `${one}s`) => `${count} ${count === '1' ? one : many}`;

/** Texts of simulations over a segment. */
export const impactTexts = {
  segment: 'Segment',
  chooseSegment: 'Choose a segment',
  simulate: 'Simulate',
  again: 'Simulate again',
  stop: 'Stop',
  starting: 'Starting the simulation…',
  sampled: (done: string, total: string) => `${done} of ${total} customers`,
  changed: (share: string, changed: string, sampled: string) =>
    `${share} get different offers: ${changed} of ${sampled} sampled customers.`,
  same: (sampled: string) => `All ${sampled} sampled customers get the same offers.`,
  nobody: 'The segment has no customers yet.',
  reached: 'Customers with an offer',
  delivered: 'Offers shown',
  score: 'Average score',
  gained: 'Shown to more customers',
  lost: 'Shown to fewer customers',
  customers: (count: string) => some(count, 'customer'),
  errors: {
    timeout: 'The simulation took too long. Try a smaller segment.',
    cancelled: 'The simulation was stopped.',
    segment_unavailable: 'The segment no longer exists.',
    interrupted: 'The server restarted. Simulate again.',
    internal: 'The simulation failed. Try again.',
  },
} as const;
