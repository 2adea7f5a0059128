import { type ContactPolicy, contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { RecordLink, ScopeText } from '../../forms/record-name.tsx';
import { DecisionsLink, versionFacts } from '../../forms/record-page.tsx';
import { RecordScreen } from '../../forms/record-screen.tsx';
import { Settings } from '../../forms/settings.tsx';
import { policySentence, policyTypeNames, policyTexts as t, windowOf } from '../../messages/catalogue/policies.ts';
import { policyFormTexts as formTexts } from '../../messages/catalogue/policy-form.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Week } from './week.tsx';

/** A contact policy. */
export function PolicyPage() {
  return (
    <RecordScreen
      kind="contactPolicy"
      operation={contactPolicyOperations.get}
      query={{ includeDeleted: true }}
      actions={(id, policy) => (
        <>
          <DecisionsLink to={addresses.decisions({ policyId: id })}>{t.allDecisions}</DecisionsLink>
          <RecordActions kind="contactPolicy" operations={contactPolicyOperations} record={policy} pausable={policy} />
        </>
      )}
    >
      {(policy) => <Policy policy={policy} />}
    </RecordScreen>
  );
}

function Policy({ policy }: { readonly policy: ContactPolicy }) {
  const format = useFormat();
  const { ruleType, config, scopes, priority } = policy;
  const window = windowOf(ruleType, config);
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Section title={t.sentence}>
        <div className="flex min-w-0 flex-col gap-4">
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
        <Settings config={config} reference={RecordLink} labels={formTexts.labels} options={formTexts.options} />
      </Section>
    </div>
  );
}
