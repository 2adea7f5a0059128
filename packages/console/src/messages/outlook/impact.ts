import { counted } from '../counted.ts';

/** Texts of simulations over a segment. */
export const impactTexts = {
  segment: 'Segment',
  chooseSegment: 'Choose a segment',
  simulate: 'Simulate',
  again: 'Simulate again',
  stop: 'Stop',
  starting: 'Starting the simulation…',
  sampled: (done: string, total: string) => `${done} of ${counted(total, 'customer')}`,
  changed: (share: string, changed: string, sampled: string) =>
    `${share} get different offers: ${changed} of ${counted(sampled, 'sampled customer')}.`,
  same: (sampled: string) =>
    sampled === '1'
      ? 'The sampled customer gets the same offers.'
      : `All ${sampled} sampled customers get the same offers.`,
  nobody: 'The segment has no customers yet.',
  reached: 'Customers with an offer',
  delivered: 'Offers shown',
  score: 'Average score',
  gained: 'Shown to more customers',
  lost: 'Shown to fewer customers',
  customers: (count: string) => counted(count, 'customer'),
  errors: {
    timeout: 'The simulation took too long. Try a smaller segment.',
    cancelled: 'The simulation was stopped.',
    segment_unavailable: 'The segment no longer exists.',
    interrupted: 'The server restarted. Simulate again.',
    internal: 'The simulation failed. Try again.',
  },
} as const;
