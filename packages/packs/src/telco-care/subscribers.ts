import { amountColumn, countColumn, flagColumn, keyColumn, nameColumn, wordColumn } from '../columns.ts';
import { firstNames } from '../first-names.ts';
import { clamp, roundTo } from '../numbers.ts';
import type { PackField, PackRow } from '../pack.ts';
import { chanceOf } from '../random.ts';

export const subscriberCount = 3000;

/** Monthly fee and data, in GB, of the plans. */
const plans = { mini: { fee: 9.99, data: 5 }, plus: { fee: 19.99, data: 25 }, max: { fee: 34.99, data: 100 } };
type Plan = keyof typeof plans;

export const subscriberFields: PackField[] = [
  keyColumn('subscriber_id', 'Number of the subscriber, TC-000001 and up.', 'Subscriber'),
  nameColumn('first_name', 'First name.'),
  countColumn('age', 'Age in years.'),
  wordColumn('plan', 'mini (5 GB), plus (25 GB) or max (100 GB).'),
  amountColumn('monthly_fee', 'What the plan costs in a month, discounts taken off.'),
  countColumn('contract_months_left', 'Months until the contract ends; 0: it runs from month to month.'),
  countColumn('tenure_months', 'Months since the first contract.'),
  countColumn('device_age_months', 'Months since the phone was bought.'),
  countColumn('data_cap_gb', 'Data of a month, in GB.', 'Data in GB'),
  flagColumn('is_family', 'True when several lines are on one bill.', 'Family'),
  flagColumn('home_internet', 'True when the line at home is ours too.'),
  flagColumn('roaming_user', 'True when the phone was used abroad in the last twelve months.', 'Travels'),
  countColumn('nps', 'Latest answer, 0 to 10, to “would you recommend us?”; null: never asked.', 'NPS'),
  amountColumn('churn_risk', 'Estimated chance, 0 to 1, of leaving in the next 90 days.'),
  flagColumn('payment_late', 'True when the latest bill was paid late.'),
  wordColumn('preferred_channel', 'Where the subscriber likes to hear from us: web, push, sms or email.'),
];

/** Returns the customer id of the n-th subscriber, from 1: `TC-000001`. */
export const subscriberId = (number: number): string => `TC-${String(number).padStart(6, '0')}`;

/** Generates the rows of `telco_subscribers`, the same on every load. */
export function* subscriberRows(seed: string): Generator<PackRow> {
  for (let number = 1; number <= subscriberCount; number += 1) yield subscriberRow(seed, number);
}

/** Generates the n-th subscriber, from 1. */
export const subscriberRow = (seed: string, number: number): PackRow =>
  number === 1 ? firstSubscriber : otherSubscriber(seed, number);

/** The subscriber that visitors meet first: eligible for nearly every offer. */
const firstSubscriber: PackRow = {
  subscriber_id: subscriberId(1),
  first_name: 'Mara',
  age: 36,
  plan: 'plus',
  monthly_fee: 19.99,
  contract_months_left: 2,
  tenure_months: 46,
  device_age_months: 31,
  data_cap_gb: 25,
  is_family: true,
  home_internet: false,
  roaming_user: true,
  nps: 7,
  churn_risk: 0.62,
  payment_late: false,
  preferred_channel: 'push',
};

function otherSubscriber(seed: string, number: number): PackRow {
  const chance = chanceOf(`${seed}/subscribers/${number}`);
  const firstName = firstNames[chance.int(0, firstNames.length - 1)] ?? 'Ada';
  const age = clamp(Math.round(chance.bell(41, 16)), 16, 88);
  const plan: Plan = chance.pick([
    ['mini', age > 60 ? 52 : 30],
    ['plus', 44],
    ['max', age < 35 ? 34 : 18],
  ]);
  const tenure = Math.floor(chance.next() ** 1.6 * 150) + 1;
  const monthsLeft = chance.flip(0.24) ? 0 : chance.int(1, 24);
  const nps = chance.flip(0.12) ? null : clamp(Math.round(chance.bell(7, 2)), 0, 10);
  const late = chance.flip(0.11);
  const risk =
    0.4 +
    (monthsLeft <= 3 ? 0.2 : 0) +
    (nps === null ? 0 : (6.5 - nps) * 0.055) +
    (late ? 0.08 : 0) -
    Math.min(tenure, 80) / 500;
  const fee = roundTo(plans[plan].fee - (tenure > 48 && chance.flip(0.5) ? 2 : 0), 2);
  const deviceAge = Math.min(Math.floor(chance.next() * 44), tenure + 12);
  const isFamily = chance.flip(age > 30 && age < 58 ? 0.46 : 0.16);
  // Families and those with much data have more to connect at home.
  const internet = 0.16 + (isFamily ? 0.42 : 0) + (plan === 'max' ? 0.26 : plan === 'plus' ? 0.08 : 0);
  return {
    subscriber_id: subscriberId(number),
    first_name: firstName,
    age,
    plan,
    monthly_fee: fee,
    contract_months_left: monthsLeft,
    tenure_months: tenure,
    device_age_months: deviceAge,
    data_cap_gb: plans[plan].data,
    is_family: isFamily,
    home_internet: chance.flip(internet),
    roaming_user: chance.flip(plan === 'mini' ? 0.18 : 0.36),
    nps,
    churn_risk: roundTo(clamp(risk + chance.bell(0, 0.13), 0.01, 0.97), 4),
    payment_late: late,
    preferred_channel: chance.pick([
      ['push', age < 45 ? 40 : 14],
      ['web', 26],
      ['email', 24],
      ['sms', age < 45 ? 10 : 26],
    ]),
  };
}
