import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import Type from 'typebox';
import { useList } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { policyTexts } from '../../../messages/catalogue/policies.ts';
import { policyStudioTexts as t } from '../../../messages/outlook/policy-studio.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { later } from '../../../ui/later.tsx';
import { Page } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { CollisionList } from './collision-list.tsx';
import { useCollisions } from './use-collisions.ts';

/** Separate chunks, with the charts. */
const Pressure = later(() => import('./pressure.tsx').then((module) => module.Pressure));
const Timelines = later(() => import('./timelines.tsx').then((module) => module.Timelines));

const tabs = ['collisions', 'pressure', 'timelines'] as const;
const Search = Type.Object({
  tab: Type.Optional(Type.Enum([...tabs])),
  customer: Type.Optional(Type.String({ maxLength: 255 })),
});

/** All policies together: which contradict each other, which block most, and how they limit one customer. */
export function StudioPage() {
  const [{ tab = 'collisions', customer }, change] = useSearch(Search);
  const list = useList(contactPolicyOperations.list, { query: { status: 'active', limit: 200 } });
  const collisions = useCollisions(list.complete ? list.rows : null);
  return (
    <Page title={t.title} lead={t.lead} parents={[{ title: policyTexts.policies, to: addresses.policies() }]}>
      {list.failure === null ? null : (
        <FailurePanel failure={list.failure} operation={contactPolicyOperations.list} retry={list.refresh} />
      )}
      <Tabs
        label={t.title}
        value={tab}
        onChange={(key) => change({ tab: tabs.find((each) => each === key) })}
        tabs={[
          {
            ...{ key: 'collisions', label: t.collisions },
            ...(collisions === null ? {} : { count: collisions.length }),
            content:
              collisions === null ? (
                <Skeleton className="h-40" />
              ) : (
                <CollisionList collisions={collisions} isWithoutPolicies={list.rows.length === 0} />
              ),
          },
          { key: 'pressure', label: t.pressure, content: <Pressure /> },
          {
            key: 'timelines',
            label: t.timelines,
            content: (
              <Timelines customerId={customer ?? ''} onCustomer={(id) => change({ customer: id || undefined })} />
            ),
          },
        ]}
      />
    </Page>
  );
}
