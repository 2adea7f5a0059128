import { type ContactPolicy, contactPolicyOperations } from '@arbiter/contract/contact-policies';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { ScopeText } from '../../forms/record-name.tsx';
import { Settings } from '../../forms/settings.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { cannotAct, policySentence, policyTypeNames, policyTexts as t, windowOf } from '../../messages/policies.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Week } from './week.tsx';

const parents = [{ title: t.policies, to: addresses.policies() }];

/** One contact policy, read. */
export function PolicyPage() {
  const id = useParam('id');
  const answer = useOperation(contactPolicyOperations.get, { params: { id } });
  const policy = answer.data;
  return (
    <Page
      title={policy?.name ?? t.policy}
      parents={parents}
      about={
        policy ? (
          <>
            <StatusBadge status={policy.status} deleted={policy.deletedAt !== null} />
            <Id id={policy.id} what="policy id" />
          </>
        ) : null
      }
      lead={policy?.description || undefined}
    >
      <Loaded answer={answer} operation={contactPolicyOperations.get}>
        {(body) => <Policy policy={body} />}
      </Loaded>
    </Page>
  );
}

function Policy({ policy }: { readonly policy: ContactPolicy }) {
  const format = useFormat();
  const { ruleType, config, scopes, priority, version, updatedAt } = policy;
  const window = windowOf(ruleType, config);
  return (
    <>
      {cannotAct(ruleType, config) ? (
        <ProblemPanel tone="warn" title={t.noLimit}>
          {t.noLimitLong}
        </ProblemPanel>
      ) : null}
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Section title={t.says}>
          <div className="flex flex-col gap-4">
            <p className="text-section font-medium">{policySentence(ruleType, config)}</p>
            {window === null ? null : <Week {...window} />}
            <Facts
              facts={[
                { label: t.kind, value: policyTypeNames[ruleType] },
                { label: t.appliesTo, value: <ScopeText scopes={scopes} all /> },
                { label: listTexts.priority, value: priority },
                { label: t.bypassable, value: config.bypassable === false ? t.bypassed.no : t.bypassed.yes },
                {
                  label: t.blocked,
                  value: <Link to={addresses.decisions({ policyId: policy.id })}>{t.openBlocked}</Link>,
                },
                { label: listTexts.version, value: version },
                { label: listTexts.changed, value: format.instant(updatedAt) },
              ]}
            />
          </div>
        </Section>
        <Section title={t.settings}>
          <Settings config={config} />
        </Section>
      </div>
    </>
  );
}
