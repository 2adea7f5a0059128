import {
  amountColumn,
  countColumn,
  dayColumn,
  flagColumn,
  instantColumn,
  keyColumn,
  nameColumn,
  wordColumn,
} from '../columns.ts';
import { firstNames } from '../first-names.ts';
import { clamp, dayMs, roundTo } from '../numbers.ts';
import type { PackField, PackRow } from '../pack.ts';
import { chanceOf } from '../random.ts';

/** Stars for each tier. The flow computes the distance to the next tier from the same numbers. */
export const tierStars = { gold: 450, black: 1200 } as const;

export const memberCount = 1000;

export const memberFields: PackField[] = [
  keyColumn('member_id', 'Number on the member card, CM-000001 and up.', 'Member'),
  nameColumn('first_name', 'First name.'),
  countColumn('age', 'Age in years.'),
  wordColumn('city', 'City of the home store.'),
  amountColumn('annual_income', 'Yearly income before tax, as stated at registration; null when not stated.'),
  dayColumn('member_since', 'Day of registration.'),
  countColumn('tenure_days', 'Days since registration.', 'Tenure in days'),
  wordColumn('tier', 'green, gold (450 stars) or black (1,200 stars).'),
  countColumn('stars', 'Stars of this year.'),
  wordColumn('favourite', 'What the member buys most: espresso, latte, cold_brew, tea or food.'),
  flagColumn('app_user', 'True when the member has signed in to the app.', 'Uses the app'),
  flagColumn('consent_email', 'True when the member agreed to email.', 'Email allowed'),
  flagColumn('consent_push', 'True when the member agreed to push messages.', 'Push allowed'),
  amountColumn('avg_ticket', 'Mean amount of a visit.', 'Average ticket'),
  countColumn('visits_30d', 'Visits in the last 30 days.', 'Visits in 30 days'),
  instantColumn('last_visit_at', 'Instant of the last visit.', 'Last visit'),
  countColumn('days_since_visit', 'Whole days since the last visit.', 'Days since the last visit'),
  amountColumn('churn_risk', 'Estimated chance, 0 to 1, of no visit in the next 60 days.'),
];

const cities = [
  ['Lisbon', 24],
  ['Hamburg', 22],
  ['Leeds', 18],
  ['Lyon', 14],
  ['Turin', 12],
  ['Aarhus', 10],
] as const;

/**
 * Generates the rows of `coffee_members`. Members are the same on every load; only `member_since` and `last_visit_at`
 * count back from `loadedAt`.
 */
export function* memberRows(seed: string, loadedAt: Date): Generator<PackRow> {
  for (let number = 1; number <= memberCount; number += 1) yield memberRow(seed, number, loadedAt);
}

/** Generates the n-th member, from 1. */
export function memberRow(seed: string, number: number, loadedAt: Date): PackRow {
  const chance = chanceOf(`${seed}/members/${number}`);
  const firstName = firstNames[chance.int(0, firstNames.length - 1)] ?? 'Ada';
  const age = clamp(Math.round(chance.bell(38, 14)), 14, 84);
  const city = chance.pick(cities);
  const income = chance.flip(0.12) ? null : roundTo(clamp(chance.bell(18_000 + age * 480, 11_000), 9_000, 120_000), 2);
  const tenureDays = tenureOf(chance.next());
  const daysSinceVisit = chance.flip(0.22) ? chance.int(21, 88) : chance.int(0, 20);
  const visits30d = daysSinceVisit >= 30 ? 0 : clamp(Math.round(chance.bell(7 - daysSinceVisit / 6, 4)), 1, 30);
  const stars = starsOf(chance.next(), tenureDays, visits30d);
  const appUser = chance.flip(age < 40 ? 0.72 : 0.41);
  const favourite = chance.pick([
    ['latte', 34],
    ['espresso', 22],
    ['cold_brew', age < 35 ? 24 : 9],
    ['tea', 14],
    ['food', 12],
  ]);
  const avgTicket = roundTo(clamp(chance.bell(favourite === 'food' ? 9.4 : 6.2, 2.1), 2.4, 24), 2);
  const churn = 0.06 + daysSinceVisit / 110 - visits30d / 90 + (tenureDays < 60 ? 0.12 : 0) + (appUser ? -0.04 : 0.04);
  const visitedMsAgo = daysSinceVisit * dayMs + chance.int(0, dayMs - 1);
  return {
    member_id: memberId(number),
    first_name: firstName,
    age,
    city,
    annual_income: income,
    member_since: new Date(loadedAt.getTime() - tenureDays * dayMs).toISOString().slice(0, 10),
    tenure_days: tenureDays,
    tier: stars >= tierStars.black ? 'black' : stars >= tierStars.gold ? 'gold' : 'green',
    stars,
    favourite,
    app_user: appUser,
    consent_email: chance.flip(0.81),
    consent_push: appUser && chance.flip(0.68),
    avg_ticket: avgTicket,
    visits_30d: visits30d,
    last_visit_at: new Date(loadedAt.getTime() - visitedMsAgo).toISOString(),
    days_since_visit: daysSinceVisit,
    churn_risk: roundTo(clamp(churn + chance.bell(0, 0.05), 0.01, 0.97), 4),
  };
}

/** Returns the customer id of the n-th member, from 1: `CM-000001`. */
export function memberId(number: number): string {
  return `CM-${String(number).padStart(6, '0')}`;
}

/** Few members collect many stars: long membership and frequent visits raise a skewed draw. */
function starsOf(draw: number, tenureDays: number, visits30d: number): number {
  const pace = 0.35 + Math.min(tenureDays, 900) / 1400 + visits30d / 26;
  return Math.floor(draw * draw * 1500 * pace);
}

/** Draws more new memberships than old ones: two days to six and a half years. */
function tenureOf(draw: number): number {
  return Math.floor(draw * Math.sqrt(draw) * 2400) + 2;
}
