import { type ContentItem, contentOperations } from '@arbiter/contract/catalogue/content';
import { useOperation } from '../../data/use-operation.ts';
import { EditLink } from '../../forms/editing/record-links.tsx';
import { RecordPage } from '../../forms/record-page.tsx';
import { contentTexts as t } from '../../messages/content/items.ts';
import { useParam } from '../../route/use-address.ts';
import { ProblemPanel } from '../../ui/problem.tsx';
import { whyNotChange } from './content-enabled.ts';
import { ContentOff } from './content-off.tsx';
import { ContentPreview } from './content-preview.tsx';
import { ContentUses } from './content-uses.tsx';
import { ContentVersions } from './content-versions.tsx';
import { ContentActions } from './workflow/content-actions.tsx';
import { WorkflowFacts } from './workflow/workflow-facts.tsx';

/** One content item: preview, workflow, versions and uses. */
export function ContentPage() {
  const id = useParam('id');
  const answer = useOperation(contentOperations.get, { params: { id } });
  const item = answer.data;
  return (
    <RecordPage
      answer={answer}
      operation={contentOperations.get}
      kind="contentItem"
      id={id}
      actions={
        item === undefined ? null : (
          <>
            <ContentActions item={item} />
            <EditLink
              kind="contentItem"
              id={id}
              operation={contentOperations.updateById}
              disabledReason={item.status === 'archived' ? t.archivedReason : whyNotChange()}
            />
          </>
        )
      }
    >
      {(body) => (
        <>
          <Notices item={body} />
          <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
            <div className="flex min-w-0 flex-col gap-4">
              <ContentPreview item={body} />
              <ContentVersions item={body} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <WorkflowFacts item={body} />
              <ContentUses item={body} />
            </div>
          </div>
        </>
      )}
    </RecordPage>
  );
}

/** Notices: a rejection, a changed template, the feature turned off. */
function Notices({ item }: { readonly item: ContentItem }) {
  const { status, rejectionReason, parentOutdated, publishedVersion, parentTemplate } = item;
  return (
    <>
      <ContentOff />
      {rejectionReason === null ? null : (
        <ProblemPanel tone="warn" title={t.rejected}>
          {rejectionReason}
        </ProblemPanel>
      )}
      {parentOutdated ? (
        <ProblemPanel tone="warn" title={t.parentOutdated(parentTemplate?.name ?? t.template)}>
          {t.parentOutdatedText}
        </ProblemPanel>
      ) : null}
      {status !== 'published' && status !== 'archived' && publishedVersion !== null ? (
        <p className="text-dense text-soft">{t.liveMeanwhile(publishedVersion)}</p>
      ) : null}
    </>
  );
}
