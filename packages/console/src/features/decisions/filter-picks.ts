import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { qualificationRuleOperations } from '@arbiter/contract/catalogue/qualification-rules';
import { call } from '../../data/call.ts';
import type { Pick } from '../../ui/pick-field.tsx';

/** Maximum number of names for a query. */
const most = 8;

type Find = (text: string, signal: AbortSignal) => Promise<readonly Pick[]>;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

const query = (text: string) => ({ limit: most, ...(text === '' ? {} : { search: text }) });
const pick = ({ id, name, status }: Row): Pick => ({ value: id, label: name, detail: status });

/** Filters by record, with the search of each. */
export const filterPicks: Readonly<Record<string, Find>> = {
  offerId: async (text, signal) =>
    (await call(offerOperations.list, { query: query(text), signal })).data.map((row) => pick(row)),
  ruleId: async (text, signal) =>
    (await call(qualificationRuleOperations.list, { query: query(text), signal })).data.map((row) => pick(row)),
  policyId: async (text, signal) =>
    (await call(contactPolicyOperations.list, { query: query(text), signal })).data.map((row) => pick(row)),
  decisionFlowKey: async (text, signal) =>
    (await call(decisionFlowOperations.list, { query: query(text), signal })).data.map(({ key, name }) => ({
      value: key,
      label: name,
      detail: key,
    })),
};
