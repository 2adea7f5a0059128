import type { SignedInBoot, SignedOutBoot } from '@arbiter/contract/console-boot';
import type { ContactPolicyType } from '@arbiter/contract/deciding/contact-policy-parts';

/** Policy types that the API refuses while a feature is off, and the setting that turns it on. */
const needed = { budget_exhausted: 'enableBudgets', metric_condition: 'enableBehavioralMetrics' } as const;

export type RefusedType = keyof typeof needed;

type Boot =
  | Pick<SignedOutBoot, 'authenticated'>
  | {
      readonly authenticated: true;
      readonly settings: Pick<SignedInBoot['settings'], (typeof needed)[RefusedType]>;
    };

/** Returns the types that this tenant can't save. */
export const refusedTypes = (boot: Boot): readonly RefusedType[] =>
  (Object.keys(needed) as RefusedType[]).filter((type) => boot.authenticated && boot.settings[needed[type]] === false);

export const isRefused = (type: ContactPolicyType | undefined, refused: readonly RefusedType[]): type is RefusedType =>
  refused.some((each) => each === type);
