import { testProblemsOf } from '../../../catalogue/decision-tests/index.ts';
import type { KindRules } from './kind-rules.ts';

/** Tests that can never pass, or never fail, are refused before anything is applied. */
export const decisionTestRules: KindRules = {
  problems: ({ given, expect }) =>
    testProblemsOf({ given, expect }).map(({ path, message }) => ({ pointer: path, message })),
};
