import { amountColumn, countColumn, flagColumn, keyColumn, wordColumn } from '../columns.ts';
import { clamp, roundTo } from '../numbers.ts';
import type { PackCsv, PackField, PackRow } from '../pack.ts';
import { type Chance, chanceOf } from '../random.ts';

export const clientCount = 2000;

/** Minimum balances of affluent and private clients. */
const bandBalances = { affluent: 5_000, private: 20_000 } as const;

export const clientFields: PackField[] = [
  keyColumn('client_id', 'Number of the client, BANK-000001 and up.', 'Client'),
  countColumn('age', 'Age in years.'),
  wordColumn('job', 'Kind of job: management, technician, retired, student and others; unknown when not stated.'),
  wordColumn('marital', 'single, married or divorced.', 'Marital status'),
  wordColumn('education', 'primary, secondary, tertiary or unknown.'),
  flagColumn('credit_default', 'True when a credit is in default.', 'In default'),
  amountColumn('balance', 'Mean balance of the year over all accounts; below 0 when overdrawn.'),
  flagColumn('housing_loan', 'True when a housing loan runs.'),
  flagColumn('personal_loan', 'True when a personal loan runs.'),
  wordColumn('contact_type', 'How the client was last reached: cellular, telephone or unknown.', 'Contact'),
  countColumn(
    'last_contact_days',
    'Days since an earlier campaign reached the client; null: none did.',
    'Days since contact',
  ),
  countColumn('campaign_contacts', 'Contacts in the latest campaign.'),
  countColumn('previous_contacts', 'Contacts before the latest campaign.'),
  wordColumn('previous_outcome', 'What the earlier campaign led to: success, failure, other or unknown.'),
  flagColumn('subscribed', 'True when the client has taken a term deposit.', 'Has a term deposit'),
  wordColumn('wealth_band', 'mass, affluent (5,000 and more) or private (20,000 and more).'),
  amountColumn('risk_score', 'Estimated chance, 0 to 1, that a new loan is not paid back.'),
  flagColumn('complaint_open', 'True while a complaint is being looked into.'),
  flagColumn('consent_sms', 'True when the client agreed to text messages.', 'SMS allowed'),
];

/** Reads the file of the UCI data set "Bank Marketing" as clients. Columns it lacks stay empty. */
export const clientCsv: PackCsv = {
  headers: {
    customer_id: 'client_id',
    default: 'credit_default',
    housing: 'housing_loan',
    loan: 'personal_loan',
    contact: 'contact_type',
    campaign: 'campaign_contacts',
    pdays: 'last_contact_days',
    previous: 'previous_contacts',
    poutcome: 'previous_outcome',
    y: 'subscribed',
  },
  nulls: { last_contact_days: ['-1'] },
};

/** Returns the customer id of the n-th client, from 1: `BANK-000001`. */
export const clientId = (number: number): string => `BANK-${String(number).padStart(6, '0')}`;

/** Generates the rows of `bank_clients`, the same on every load. */
export function* clientRows(seed: string): Generator<PackRow> {
  for (let number = 1; number <= clientCount; number += 1) yield clientRow(seed, number);
}

/** Generates the n-th client, from 1. */
export const clientRow = (seed: string, number: number): PackRow =>
  number === 1 ? firstClient : otherClient(seed, number);

/** The client that visitors meet first: eligible for nearly every offer of the bank. */
const firstClient: PackRow = {
  client_id: clientId(1),
  age: 41,
  job: 'management',
  marital: 'married',
  education: 'tertiary',
  credit_default: false,
  balance: 8_420.5,
  housing_loan: true,
  personal_loan: false,
  contact_type: 'cellular',
  last_contact_days: 92,
  campaign_contacts: 1,
  previous_contacts: 2,
  previous_outcome: 'success',
  subscribed: false,
  wealth_band: 'affluent',
  risk_score: 0.08,
  complaint_open: false,
  consent_sms: true,
};

function otherClient(seed: string, number: number): PackRow {
  const chance = chanceOf(`${seed}/clients/${number}`);
  const age = clamp(Math.round(chance.bell(43, 15)), 18, 90);
  const job = jobOf(chance, age);
  const education = chance.pick([
    ['secondary', 50],
    ['tertiary', job === 'management' ? 80 : 24],
    ['primary', 18],
    ['unknown', 4],
  ]);
  const balance = balanceOf(chance, age, job);
  const inDefault = chance.flip(balance < 0 ? 0.14 : 0.01);
  const reachedBefore = chance.flip(0.2);
  const housing = chance.flip(age > 24 && age < 60 ? 0.56 : 0.18);
  const loan = chance.flip(balance < 300 ? 0.26 : 0.12);
  const risk =
    0.22 + (inDefault ? 0.4 : 0) + (balance < 0 ? 0.16 : 0) + (loan ? 0.08 : 0) - Math.min(balance, 20_000) / 60_000;
  return {
    client_id: clientId(number),
    age,
    job,
    marital: chance.pick([
      ['married', age < 28 ? 18 : 62],
      ['single', age < 28 ? 80 : 26],
      ['divorced', age < 28 ? 2 : 12],
    ]),
    education,
    credit_default: inDefault,
    balance,
    housing_loan: housing,
    personal_loan: loan,
    contact_type: chance.pick([
      ['cellular', 65],
      ['telephone', 7],
      ['unknown', 28],
    ]),
    last_contact_days: reachedBefore ? chance.int(30, 400) : null,
    campaign_contacts: chance.pick([
      [1, 40],
      [2, 28],
      [3, 13],
      [4, 8],
      [6, 7],
      [11, 4],
    ]),
    previous_contacts: reachedBefore ? chance.int(1, 7) : 0,
    previous_outcome: reachedBefore
      ? chance.pick([
          ['failure', 58],
          ['other', 22],
          ['success', 20],
        ])
      : 'unknown',
    subscribed: chance.flip(balance > bandBalances.affluent ? 0.22 : 0.1),
    wealth_band: balance >= bandBalances.private ? 'private' : balance >= bandBalances.affluent ? 'affluent' : 'mass',
    risk_score: roundTo(clamp(risk + chance.bell(0, 0.08), 0.01, 0.95), 4),
    complaint_open: chance.flip(0.03),
    consent_sms: chance.flip(0.7),
  };
}

function jobOf(chance: Chance, age: number): string {
  if (age < 24 && chance.flip(0.45)) return 'student';
  if (age > 62 && chance.flip(0.75)) return 'retired';
  return chance.pick([
    ['blue-collar', 22],
    ['management', 21],
    ['technician', 17],
    ['admin.', 12],
    ['services', 9],
    ['self-employed', 4],
    ['entrepreneur', 4],
    ['unemployed', 3],
    ['housemaid', 3],
    ['unknown', 2],
  ]);
}

/** Most have a little, a few have a lot, some are overdrawn. */
function balanceOf(chance: Chance, age: number, job: string): number {
  if (chance.flip(0.08)) return -roundTo(chance.next() * 1200, 2);
  const earns = job === 'management' || job === 'entrepreneur' ? 0.6 : job === 'student' ? -0.7 : 0;
  return roundTo(Math.exp(chance.bell(7.1 + age / 110 + earns, 1.25)), 2);
}
