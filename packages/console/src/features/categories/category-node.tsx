import { categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import { type Offer, offerOperations } from '@arbiter/contract/catalogue/offers';
import { Plus } from 'lucide-react';
import { useList } from '../../data/use-operation.ts';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { decisionsColumn, nameColumn, priorityColumn, statusColumn } from '../../forms/record-columns.tsx';
import { versionFacts } from '../../forms/record-page.tsx';
import { RecordPin } from '../../forms/record-pin.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { categoryTexts as t } from '../../messages/catalogue/categories.ts';
import { listText, valueText } from '../../messages/catalogue/conditions.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { type CarriedField, fieldsOf, type Node } from './tree.ts';

/** One category or sub-category: details, offer fields, offers. */
export function CategoryNode({ node }: { readonly node: Node }) {
  const format = useFormat();
  const { record } = node;
  const fields = fieldsOf(record.customFields, node.level === 2 ? node.parent?.customFields : []);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Section
        title={record.name}
        about={
          <>
            <RecordPin kind="category" id={record.id} name={record.name} />
            <StatusBadge status={record.status} />
            <Id id={record.id} what={node.level === 1 ? 'category ID' : 'sub-category ID'} />
          </>
        }
        actions={<Actions node={node} />}
      >
        <div className="flex flex-col gap-3">
          {record.description === '' ? null : <p className="whitespace-pre-wrap">{record.description}</p>}
          <Facts
            facts={[
              {
                label: t.category,
                value:
                  node.level === 2 ? (
                    <Link to={addresses.category(node.record.categoryId)}>{node.record.category.name}</Link>
                  ) : null,
              },
              ...versionFacts(record, format),
            ]}
          />
        </div>
      </Section>
      <Section title={t.fields} flush={fields.length > 0}>
        {fields.length === 0 ? <p className="text-soft">{t.noFields}</p> : <Fields fields={fields} />}
      </Section>
      <Offers node={node} />
    </div>
  );
}

function Actions({ node }: { readonly node: Node }) {
  const { id } = node.record;
  if (node.level === 2) {
    return (
      <RecordActions
        kind="category"
        operations={subCategoryOperations}
        record={node.record}
        editTo={addresses.editSubCategory(id)}
      />
    );
  }
  return (
    <>
      <RecordActions kind="category" operations={categoryOperations} record={node.record} />
      <FormLink
        operation={subCategoryOperations.create}
        to={addresses.newSubCategory({ categoryId: id })}
        title={t.newSubCategory}
        icon={<Plus aria-hidden className="size-4" />}
      />
    </>
  );
}

const fieldColumns: readonly Column<CarriedField>[] = [
  {
    key: 'key',
    header: t.field,
    cell: ({ key }) => <code className="text-caption font-medium">{key}</code>,
    text: ({ key }) => key,
    sortBy: ({ key }) => key,
    width: 150,
  },
  {
    key: 'label',
    header: listTexts.name,
    cell: ({ label }) => label ?? '–',
    text: ({ label }) => label ?? null,
    width: 140,
  },
  {
    key: 'type',
    header: t.kind,
    cell: ({ type }) => t.kinds[type],
    text: ({ type }) => t.kinds[type],
    sortBy: ({ type }) => type,
    width: 100,
    grow: 0,
  },
  {
    key: 'fallback',
    header: t.fallback,
    cell: ({ defaultValue }) => (defaultValue === undefined || defaultValue === null ? '–' : valueText(defaultValue)),
    text: ({ defaultValue }) => (defaultValue === undefined || defaultValue === null ? null : valueText(defaultValue)),
    width: 110,
  },
  {
    key: 'formula',
    header: t.formula,
    cell: ({ formula, options }) =>
      formula ? (
        <code className="text-caption" title={formula}>
          {formula}
        </code>
      ) : options ? (
        listText(options, 'or')
      ) : (
        '–'
      ),
    text: ({ formula, options }) => formula ?? (options ? listText(options, 'or') : null),
    width: 180,
    grow: 2,
  },
  {
    key: 'marks',
    header: t.marks,
    cell: ({ required, inherited }) => (
      <span className="inline-flex gap-1">
        {required === true ? <Badge tone="neutral">{t.required}</Badge> : null}
        {inherited ? <Badge tone="info">{t.inherited}</Badge> : null}
      </span>
    ),
    text: ({ required, inherited }) =>
      [required === true ? t.required : null, inherited ? t.inherited : null].filter(Boolean).join(', '),
    width: 170,
  },
];

function Fields({ fields }: { readonly fields: readonly CarriedField[] }) {
  return (
    <DataTable
      label={t.fields}
      columns={fieldColumns}
      rows={fields}
      rowKey={({ key }) => key}
      complete
      maxHeight="23.25rem"
      empty={null}
    />
  );
}

const offerColumns: readonly Column<Offer>[] = [
  nameColumn(220),
  statusColumn,
  {
    key: 'sub',
    header: t.subCategory,
    cell: ({ subCategoryRef }) =>
      subCategoryRef === null ? (
        <span className="text-faint">–</span>
      ) : (
        <Link to={addresses.category(subCategoryRef.id)}>{subCategoryRef.name}</Link>
      ),
    text: ({ subCategoryRef }) => subCategoryRef?.name ?? null,
    sortBy: ({ subCategoryRef }) => subCategoryRef?.name ?? null,
    width: 150,
  },
  priorityColumn,
  decisionsColumn((id) => addresses.decisions({ offerId: id })),
];

function Offers({ node }: { readonly node: Node }) {
  const filter = node.level === 1 ? { categoryId: node.record.id } : { subCategoryId: node.record.id };
  const list = useList(offerOperations.list, { query: { ...filter, limit: 100 } });
  return (
    <Section
      title={t.offers}
      flush
      actions={list.rows.length === 0 ? null : <Link to={addresses.offers(filter)}>{t.openList}</Link>}
    >
      <ListTable
        list={list}
        operation={offerOperations.list}
        label={t.offers}
        columns={node.level === 1 ? offerColumns : offerColumns.filter(({ key }) => key !== 'sub')}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.offer(id)}
        maxHeight="27.25rem"
        empty={
          <Empty title={t.noOffers} level={3} actions={<ButtonLink to={addresses.offers()}>{t.allOffers}</ButtonLink>}>
            {t.noOffersText}
          </Empty>
        }
      />
    </Section>
  );
}
