import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { qualificationRuleOperations } from '@arbiter/contract/catalogue/qualification-rules';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';

/** Filters by record ID. */
export const named = {
  offerId: { kind: 'offer', get: offerOperations.get },
  policyId: { kind: 'policy', get: contactPolicyOperations.get },
  ruleId: { kind: 'rule', get: qualificationRuleOperations.get },
} as const;
export const isNamed = (name: string): name is keyof typeof named => Object.hasOwn(named, name);

/** The name of a filter's record. */
export function NamedValue({ name, id }: { readonly name: keyof typeof named; readonly id: string }) {
  const { kind, get } = named[name];
  return <NameOf answer={useOperation(get, { params: { id } }, { keepPrevious: false })} kind={kind} id={id} />;
}
