import { type ContactPolicy, contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { useOperation } from '../../data/use-operation.ts';
import { ScopeText } from '../../forms/record-name.tsx';
import { ApiLink, DecisionsLink, RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { Settings } from '../../forms/settings.tsx';
import { listTexts } from '../../messages/lists.ts';
import { policySentence, policyTypeNames, policyTexts as t, windowOf } from '../../messages/policies.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Week } from './week.tsx';

const parents = [{ title: t.policies, to: addresses.policies() }];

/** One contact policy, read. */
export function PolicyPage() {
  const id = useParam('id');
  const answer = useOperation(contactPolicyOperations.get, { params: { id }, query: { includeDeleted: true } });
  return (
    <RecordPage
      answer={answer}
      operation={contactPolicyOperations.get}
      kind="contactPolicy"
      id={id}
      parents={parents}
      fixes={() => <ApiLink operation={contactPolicyOperations.updateById}>{t.changeByApi}</ApiLink>}
      actions={<DecisionsLink to={addresses.decisions({ policyId: id })}>{t.allDecisions}</DecisionsLink>}
    >
      {(body) => <Policy policy={body} />}
    </RecordPage>
  );
}

function Policy({ policy }: { readonly policy: ContactPolicy }) {
  const format = useFormat();
  const { ruleType, config, scopes, priority } = policy;
  const window = windowOf(ruleType, config);
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Section title={t.sentence}>
        <div className="flex flex-col gap-4">
          <p className="text-section font-medium">{policySentence(ruleType, config)}</p>
          {window === null ? null : <Week {...window} />}
          <Facts
            facts={[
              { label: t.kind, value: policyTypeNames[ruleType] },
              { label: t.appliesTo, value: <ScopeText scopes={scopes} all /> },
              { label: listTexts.priority, value: priority },
              { label: t.bypassable, value: config.bypassable === false ? t.bypassed.no : t.bypassed.yes },
              ...versionFacts(policy, format),
            ]}
          />
        </div>
      </Section>
      <Section title={t.settings}>
        <Settings config={config} />
      </Section>
    </div>
  );
}
