import { categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import Type from 'typebox';
import { usePendingDeletions } from '../../data/pending-deletions.ts';
import { useList } from '../../data/use-operation.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { DeletedPin } from '../../forms/record-pin.tsx';
import { categoryTexts as t } from '../../messages/catalogue/categories.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { CategoryNode } from './category-node.tsx';
import { CategoryTree } from './category-tree.tsx';
import { nodeOf, treeOf } from './tree.ts';

const Search = Type.Object({ node: Type.Optional(Type.String()) });

/** The category tree and its selected node. */
export function CategoryPage() {
  const [{ node: chosen }] = useSearch(Search);
  const first = useList(categoryOperations.list, { query: { limit: 200 } });
  const second = useList(subCategoryOperations.list, { query: { limit: 200 } });
  const deletions = usePendingDeletions();
  const isKept = ({ id }: { readonly id: string }) => !deletions.has(id);
  const categories = first.rows.filter(isKept);
  const subCategories = second.rows.filter(isKept);
  const node = nodeOf(chosen, categories, subCategories);
  const complete = first.complete && second.complete;
  const more = () => {
    first.loadMore();
    second.loadMore();
  };
  const failures = [
    { list: first, operation: categoryOperations.list },
    { list: second, operation: subCategoryOperations.list },
  ].map(({ list, operation }) =>
    list.failure === null ? null : (
      <FailurePanel key={operation.id} failure={list.failure} operation={operation} retry={list.refresh} />
    ),
  );
  return (
    <Page
      title={t.categories}
      lead={t.lead}
      actions={<CreateLink kind="category" operation={categoryOperations.create} />}
    >
      {failures}
      {first.complete && first.rows.length === 0 ? (
        <div className="rounded-card border border-line bg-surface">
          <Empty title={t.empty} actions={<CreateLink kind="category" operation={categoryOperations.create} />}>
            {t.emptyText}
          </Empty>
        </div>
      ) : null}
      {first.loading ? <Skeleton className="h-40 w-full" /> : null}
      {first.rows.length > 0 ? (
        <div className="grid items-start gap-4 md:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
          <Section title={t.tree} flush>
            <CategoryTree tree={treeOf(categories, subCategories)} chosen={node?.record.id ?? null} />
            <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2">
              {first.asOf === null ? null : <AsOf at={first.asOf} stale={first.old} />}
              {complete ? null : (
                <Button size="small" busy={first.loadingMore || second.loadingMore} onClick={more}>
                  {t.more}
                </Button>
              )}
            </div>
          </Section>
          {node === null ? (
            complete ? (
              <div className="flex min-w-0 flex-col gap-4">
                {chosen === undefined ? null : <DeletedPin kind="category" id={chosen} />}
                <Section title={t.category}>
                  <Empty
                    title={t.missingTitle}
                    actions={<ButtonLink to={addresses.categories()}>{t.categories}</ButtonLink>}
                  >
                    {t.missingText}
                  </Empty>
                </Section>
              </div>
            ) : (
              <Skeleton className="h-40 w-full" />
            )
          ) : (
            <CategoryNode key={node.record.id} node={node} />
          )}
        </div>
      ) : null}
    </Page>
  );
}
