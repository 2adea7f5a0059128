import { sigmoid } from '../numbers.ts';
import type { PackRow, PackTruth } from '../pack.ts';
import { bankOffers } from './catalogue.ts';

/** Base appeal of an offer before anything is known about the client, as a logit. */
const appeal: Readonly<Record<string, number>> = {
  'Term Deposit 12 Months': -2.1,
  'Flexible Saver': -1.6,
  'Youth Saver': -1.2,
  'Index Fund Plan': -2.2,
  'Pension Top Up': -2.4,
  'Cashback Card': -1.5,
  'Travel Card': -1.9,
  'Card Limit Increase': -2.0,
  'Green Home Loan': -2.7,
  'Loan Consolidation': -2.3,
  'Car Loan': -2.5,
  'Paperless Statements': -1.1,
  'Mobile App Activation': -1.3,
  'Fraud Alerts On': -0.9,
};

const ofChannel: Readonly<Record<string, number>> = { 'Mobile App': 0.2, Email: -0.4, SMS: -0.1, 'Adviser Desk': 0.7 };

const subCategoryOf = new Map(bankOffers.map(({ name, subCategoryName }) => [name, subCategoryName]));

/** Returns how inclined a client is to a kind of offer. */
function inclination(client: PackRow, offerName: string): number {
  const [age, balance] = [Number(client.age), Number(client.balance)];
  switch (subCategoryOf.get(offerName)) {
    case 'Deposits':
      return (
        (client.previous_outcome === 'success' ? 1.6 : 0) +
        (age >= 60 ? 0.5 : 0) +
        (balance > 2_000 ? 0.5 : balance < 0 ? -0.8 : 0) -
        (client.housing_loan === true ? 0.4 : 0)
      );
    case 'Investing':
      return (client.education === 'tertiary' ? 0.5 : 0) + (client.wealth_band === 'private' ? 0.6 : 0);
    case 'Cards':
      return (age < 40 ? 0.4 : 0) + (client.marital === 'single' && offerName === 'Travel Card' ? 0.4 : 0);
    case 'Loans':
      return (
        (client.personal_loan === true && offerName === 'Loan Consolidation' ? 1.4 : 0) +
        (client.housing_loan === true && offerName === 'Green Home Loan' ? 0.9 : 0)
      );
    default:
      return age < 45 ? 0.3 : -0.2;
  }
}

export const bankTruth: PackTruth = (client, offerName, channelName) =>
  sigmoid(
    (appeal[offerName] ?? -2) +
      (ofChannel[channelName] ?? 0) +
      inclination(client, offerName) -
      Math.max(0, Number(client.campaign_contacts) - 2) * 0.08,
  );

/** Whether the bank would show the client this offer: a summary of its rules. */
export function bankSuits(client: PackRow, offerName: string): boolean {
  const kind = subCategoryOf.get(offerName);
  if (client.complaint_open === true) return kind === 'Service' || kind === 'Protection';
  if (kind === 'Cards' || kind === 'Loans') {
    if (client.credit_default === true) return false;
    if (kind === 'Cards') return true;
    return client.job !== 'unknown' && client.job !== 'student' && Number(client.risk_score) < 0.6;
  }
  if (kind === 'Investing') return client.wealth_band !== 'mass';
  return offerName !== 'Youth Saver' || Number(client.age) < 26;
}
