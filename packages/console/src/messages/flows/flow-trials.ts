import { catalogueTitles as titles } from '../catalogue/catalogue-titles.ts';
import { counted } from '../counted.ts';

/** Texts of what a draft does while it's edited: for a segment, and for pinned customers. */
export const flowTrialTexts = {
  title: 'Try the draft',
  with: { customer: 'One customer', segment: 'Segment', pinned: 'Pinned customers' },
  segment: 'Segment',
  chooseSegment: 'Choose a segment',
  populationLead: 'Each node shows how many sampled customers still have an offer. Nothing is stored or counted.',
  count: 'Count',
  unsound: "Fix the draft's problems first.",
  countFailed: "Couldn't count the customers. Try again.",
  emptySegment: 'This segment has no customers.',
  reached: (withOffer: string, sampled: string, members: string) =>
    `${withOffer} of ${counted(sampled, 'sampled customer')} ${withOffer === '1' ? 'gets' : 'get'} an offer. The segment has ${members}.`,
  pinned: 'Pinned customers',
  pinnedLead: 'Reloading the page clears pinned customers and expected offers.',
  pinLabel: titles.customer,
  pin: 'Pin',
  unpin: 'Unpin',
  unpinOne: (id: string) => `Unpin ${id}`,
  noPins: 'No pinned customers yet. Pin a few whose offers you know, and see how they change as you edit.',
  tooMany: (most: number) => `The draft runs for at most ${most} pinned customers. Unpin one first.`,
  runPinned: (count: number) => (count === 1 ? 'Run 1 customer' : `Run ${count} customers`),
  fewLeft: 'Your tenant has few simulations left this minute. Select Run to use them.',
  customer: titles.customer,
  draft: 'Draft',
  live: 'Live',
  expected: 'Expected',
  expectThis: "Expect the draft's offer",
  runFirst: 'Run the draft first.',
  asExpected: 'as expected',
  notExpected: 'not as expected',
  forget: 'Clear',
  noOffer: 'no offer',
} as const;
