import { sigmoid } from '../numbers.ts';
import type { PackRow, PackTruth } from '../pack.ts';
import { coffeeOffers } from './catalogue.ts';

/** Base appeal of an offer before anything is known about the member, as a logit. */
const appeal: Readonly<Record<string, number>> = {
  'Welcome Double Stars': -1.2,
  'App Install Treat': -1.0,
  'Bring A Friend': -2.2,
  'We Miss You Latte': -0.7,
  'Come Back 30 Percent Off': -1.1,
  'Gold Birthday Drink': -0.4,
  'Black Tier Tasting': -1.5,
  'Cold Brew Season': -1.4,
  'Oat Milk Week': -1.6,
  'Pastry Pairing': -1.3,
  'Morning Streak': -1.5,
  'Stars Challenge': -1.7,
};

const ofChannel: Readonly<Record<string, number>> = { Web: 0, Email: -0.3, 'Mobile Push': 0.1, 'In App': 0.4 };
const productOf = new Map(coffeeOffers.map(({ name, productType }) => [name, productType]));

export const coffeeTruth: PackTruth = (member, offerName, channelName) =>
  sigmoid(
    (appeal[offerName] ?? -2) +
      (ofChannel[channelName] ?? 0) +
      (productOf.get(offerName) === member.favourite ? 0.9 : 0) +
      (Number(member.visits_30d) >= 8 ? 0.4 : 0) -
      Number(member.churn_risk) * 0.8,
  );

const habits: readonly string[] = ['Morning Streak', 'Stars Challenge'];
const winBacks: readonly string[] = ['We Miss You Latte', 'Come Back 30 Percent Off'];
const tierCare: readonly string[] = ['Gold Birthday Drink', 'Black Tier Tasting'];

/** Whether the chain would show the member this offer: a summary of its rules. */
export function coffeeSuits(member: PackRow, offerName: string): boolean {
  if (Number(member.age) < 16) return false;
  if (habits.includes(offerName)) return member.app_user === true;
  if (winBacks.includes(offerName)) return Number(member.days_since_visit) >= 21;
  if (tierCare.includes(offerName)) return member.tier !== 'green';
  return offerName !== 'App Install Treat' || member.app_user === false;
}
