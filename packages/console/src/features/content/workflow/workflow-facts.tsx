import type { ContentItem } from '@arbiter/contract/catalogue/content';
import { versionFacts } from '../../../forms/record-page.tsx';
import { channelTypeName } from '../../../messages/catalogue/type-names.ts';
import { contentTexts as t } from '../../../messages/content/items.ts';
import { addresses } from '../../../route/addresses.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { Person } from '../person.tsx';

/** Workflow status: who submitted and approved the item, and what decisions show. */
export function WorkflowFacts({ item }: { readonly item: ContentItem }) {
  const format = useFormat();
  const by = (person: string | null, at: string | null) =>
    person === null || at === null ? null : (
      <>
        <Person id={person} /> <span className="text-soft">· {format.instant(at)}</span>
      </>
    );
  const { parentTemplate } = item;
  return (
    <Section title={t.workflow}>
      <div className="flex flex-col gap-3">
        <p className="text-dense text-soft">{t.next[item.status]}</p>
        <Facts
          facts={[
            { label: t.submitted, value: by(item.submittedBy, item.submittedAt) },
            { label: t.approved, value: by(item.approvedBy, item.approvedAt) },
            {
              label: t.live,
              value:
                item.publishedVersion === null ? (
                  <span className="text-soft">{t.notPublished}</span>
                ) : (
                  <>
                    {t.version(item.publishedVersion)}
                    {item.publishedAt === null ? null : (
                      <span className="text-soft"> · {format.instant(item.publishedAt)}</span>
                    )}
                  </>
                ),
            },
            { label: t.channelType, value: channelTypeName(item.channelType) },
            { label: t.isTemplate, value: item.isTemplate ? t.yes : null },
            {
              label: t.parent,
              value:
                parentTemplate === null ? null : (
                  <Link to={addresses.content(parentTemplate.id)}>
                    <span dir="auto">{parentTemplate.name}</span>
                  </Link>
                ),
            },
            ...versionFacts(item, format),
          ]}
        />
      </div>
    </Section>
  );
}
