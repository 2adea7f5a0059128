import { notificationOperations } from '@arbiter/contract/operations/notifications';
import { Plus, Send } from 'lucide-react';
import { useMemo } from 'react';
import { useList } from '../../data/use-operation.ts';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { destinationColumns } from './destination-columns.tsx';
import { TestFailure } from './test-failure.tsx';
import { useTest } from './use-test.ts';

const sendLink = (
  <FormLink
    operation={notificationOperations.send}
    to={addresses.sendMessage()}
    title={t.sendMessage}
    icon={<Send aria-hidden className="size-4" />}
  />
);

/** Destinations of notifications: what they are, whether the last message arrived, and a test. */
export function DestinationsPage() {
  const list = useList(notificationOperations.list, { query: { limit: 100 } });
  const testing = useTest(list.refresh);
  const { test, busy, tested } = testing;
  const running = busy ? (tested?.id ?? null) : null;
  const columns = useMemo(
    () => destinationColumns({ onTest: (destination) => void test(destination), testing: running }),
    [test, running],
  );
  const look = useListLook(notificationOperations.list.id, columns, { defaultDensity: 'comfortable' });
  const create = (keys?: string) => (
    <FormLink
      operation={notificationOperations.create}
      to={addresses.newDestination()}
      title={t.make}
      icon={<Plus aria-hidden className="size-4" />}
      kind="primary"
      {...(keys === undefined ? {} : { keys })}
    />
  );
  return (
    <Page
      title={t.title}
      lead={t.lead}
      parents={[{ title: settingsTexts.title, to: addresses.settings() }]}
      actions={
        <>
          {sendLink}
          {create('c')}
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
        <ViewLinks look={look} />
        <ListTable
          list={list}
          operation={notificationOperations.list}
          label={t.title}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          rowKey={({ id }) => id}
          rowTo={({ id }) => addresses.editDestination(id)}
          density={look.defaultDensity}
          empty={
            <Empty title={t.none} actions={create()}>
              {t.noneText}
            </Empty>
          }
        />
      </div>
      <TestFailure {...testing} />
    </Page>
  );
}
