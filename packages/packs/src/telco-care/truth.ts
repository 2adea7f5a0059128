import { sigmoid } from '../numbers.ts';
import type { PackRow, PackTruth } from '../pack.ts';
import { telcoOffers } from './catalogue.ts';

/** Base appeal of an offer before anything is known about the subscriber, as a logit. */
const appeal: Readonly<Record<string, number>> = {
  'Loyalty Credit': -0.6,
  'Contract Renewal Bonus': -1.0,
  'Plan Right Size': -1.2,
  'Network Apology Data': -0.4,
  'Care Callback': -1.7,
  'Upgrade To Max': -2.0,
  'Family Bundle': -2.1,
  'Home Internet Add On': -2.2,
  'New Phone Trade In': -1.9,
  'Watch Plan': -2.6,
  'Device Insurance': -2.3,
  'Roaming Pass': -1.3,
  'Autopay Setup': -1.6,
  'Paperless Bill': -1.4,
  'Data Top Up': -1.5,
  'Streaming Trial': -0.9,
};

const ofChannel: Readonly<Record<string, number>> = { Web: 0.1, 'Mobile Push': 0.2, SMS: 0, Email: -0.3 };
const channelOfWord: Readonly<Record<string, string>> = {
  web: 'Web',
  push: 'Mobile Push',
  sms: 'SMS',
  email: 'Email',
};

const placeOf = new Map(telcoOffers.map((offer) => [offer.name, offer]));

/** Returns how inclined a subscriber is to an offer. */
function inclination(subscriber: PackRow, offerName: string): number {
  const [risk, age] = [Number(subscriber.churn_risk), Number(subscriber.age)];
  const mood = subscriber.nps === null ? 0 : (Number(subscriber.nps) - 6.5) * 0.12;
  switch (offerName) {
    case 'Contract Renewal Bonus':
      return risk > 0.7 ? -0.4 : 0.4;
    case 'Plan Right Size':
      return subscriber.plan === 'max' ? 0.8 : 0;
    case 'Family Bundle':
      return subscriber.is_family === true ? 1.1 : -0.6;
    case 'Upgrade To Max':
      return mood + (subscriber.plan === 'plus' ? 0.6 : -0.3) + (age < 35 ? 0.4 : 0);
    case 'Home Internet Add On':
      return mood + (subscriber.is_family === true ? 0.5 : 0);
    case 'New Phone Trade In':
      return mood + Math.min(1.2, (Number(subscriber.device_age_months) - 24) * 0.06);
    case 'Watch Plan':
      return mood + (age < 40 ? 0.6 : -0.5);
    case 'Streaming Trial':
      return age < 45 ? 0.4 : -0.3;
    case 'Autopay Setup':
      return subscriber.payment_late === true ? 0.6 : 0;
    case 'Data Top Up':
      return subscriber.plan === 'mini' ? 0.8 : -0.7;
    default:
      return placeOf.get(offerName)?.categoryName === 'Grow' ? mood : 0;
  }
}

export const telcoTruth: PackTruth = (subscriber, offerName, channelName) =>
  sigmoid(
    (appeal[offerName] ?? -2) +
      (ofChannel[channelName] ?? 0) +
      (channelOfWord[String(subscriber.preferred_channel)] === channelName ? 0.5 : 0) +
      inclination(subscriber, offerName),
  );

/** Whether the operator would show the subscriber this offer: a summary of its rules. */
export function telcoSuits(subscriber: PackRow, offerName: string): boolean {
  const subCategory = placeOf.get(offerName)?.subCategoryName;
  if (subCategory === 'Save' && Number(subscriber.churn_risk) < 0.5) return false;
  if (subCategory === 'Device') {
    return Number(subscriber.device_age_months) >= 24 && subscriber.payment_late === false;
  }
  switch (offerName) {
    case 'Contract Renewal Bonus':
      return Number(subscriber.contract_months_left) <= 3;
    case 'Upgrade To Max':
      return subscriber.plan !== 'max';
    case 'Home Internet Add On':
      return subscriber.home_internet === false;
    case 'Roaming Pass':
      return subscriber.roaming_user === true;
    default:
      return true;
  }
}
