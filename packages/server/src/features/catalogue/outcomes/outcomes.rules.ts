import type { OutcomeCategory, OutcomeClassification } from '@arbiter/contract';

export interface SystemOutcomeType {
  readonly key: string;
  readonly name: string;
  readonly classification: OutcomeClassification;
  readonly category: OutcomeCategory;
  readonly isConversion: boolean;
}

const system = (
  key: string,
  classification: OutcomeClassification,
  category: OutcomeCategory = 'response',
): SystemOutcomeType => {
  const words = key.replaceAll('_', ' ');
  return {
    key,
    name: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    classification,
    category,
    isConversion: key === 'convert',
  };
};

/** The outcome types that every tenant has from its creation (docs/design/api-catalogue.md 10), in list order. */
export const systemOutcomeTypes: readonly SystemOutcomeType[] = [
  system('impression', 'neutral', 'impression'),
  system('click', 'positive'),
  system('accept', 'positive'),
  system('requested_info', 'positive'),
  system('convert', 'positive'),
  system('dismiss', 'negative'),
  system('not_interested', 'negative'),
  system('deferred', 'neutral'),
  system('not_presented', 'neutral', 'impression'),
  system('expired', 'neutral', 'impression'),
  system('unsubscribe', 'negative'),
  system('complaint', 'negative'),
  system('hard_bounce', 'negative'),
  system('spam_report', 'negative'),
];

/** True when the combination is allowed: only a positive outcome can be a conversion. */
export function conversionFits(isConversion: boolean, classification: string): boolean {
  return !isConversion || classification === 'positive';
}
