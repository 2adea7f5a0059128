import type { OutcomeClassification } from '@arbiter/contract/catalogue/outcome-types';
import type { Tone } from '../../ui/badge.tsx';

/** The color of a classification, next to its name. */
export const classificationTones: Readonly<Record<OutcomeClassification, Tone>> = {
  positive: 'pass',
  negative: 'block',
  neutral: 'neutral',
};
