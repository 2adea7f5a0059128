import { amountColumn, dayColumn, foreignColumn, keyColumn, wordColumn } from '../columns.ts';
import { daysBefore, roundTo } from '../numbers.ts';
import type { PackField, PackRow } from '../pack.ts';
import { chanceOf } from '../random.ts';
import { clientCount, clientRow } from './clients.ts';

export const accountFields: PackField[] = [
  keyColumn('account_id', 'Number of the account, BA-000001 and up.', 'Account'),
  foreignColumn('client_id', 'Who owns it.', 'Client'),
  wordColumn('product', 'current, savings, card, mortgage or fund.'),
  dayColumn('opened_on', 'Day of opening.'),
  amountColumn('balance', 'Balance; below 0 where money is owed.'),
  amountColumn('monthly_inflow', 'Mean of what arrives in a month.'),
  wordColumn('status', 'active, dormant or closing.'),
];

/** Generates two accounts per client: an everyday account and another one. */
export function* accountRows(seed: string, loadedAt: Date): Generator<PackRow> {
  for (let number = 1; number <= clientCount; number += 1) yield* accountsOf(seed, number, loadedAt);
}

function accountsOf(seed: string, clientNumber: number, loadedAt: Date): PackRow[] {
  const client = clientRow(seed, clientNumber);
  const chance = chanceOf(`${seed}/accounts/${clientNumber}`);
  const balance = Number(client.balance);
  const second = client.housing_loan === true && chance.flip(0.6) ? 'mortgage' : secondProduct(chance.next());
  const account = (number: number, product: string, own: number, inflow: number): PackRow => ({
    account_id: `BA-${String(number).padStart(6, '0')}`,
    client_id: client.client_id ?? null,
    product,
    opened_on: daysBefore(loadedAt, chance.int(90, 6000)),
    balance: roundTo(own, 2),
    monthly_inflow: roundTo(inflow, 2),
    status: chance.pick([
      ['active', 90],
      ['dormant', 8],
      ['closing', 2],
    ]),
  });
  const share = 0.3 + chance.next() * 0.5;
  const wage = 900 + chance.next() * 2600 + Math.max(0, balance) * 0.02;
  const isMortgage = second === 'mortgage';
  return [
    account(clientNumber * 2 - 1, 'current', balance * share, wage),
    account(
      clientNumber * 2,
      second,
      isMortgage ? -60_000 - chance.next() * 180_000 : balance * (1 - share),
      second === 'savings' ? wage * 0.08 : 0,
    ),
  ];
}

const secondProduct = (draw: number): string => (draw < 0.62 ? 'savings' : draw < 0.88 ? 'card' : 'fund');
