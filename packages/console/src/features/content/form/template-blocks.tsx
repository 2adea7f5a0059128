import { type ContentBlock, contentOperations } from '@arbiter/contract/catalogue/content';
import { useOperation } from '../../../data/use-operation.ts';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { Loaded } from '../../../forms/loaded.tsx';
import { blockTexts as t } from '../../../messages/content/blocks.ts';
import { Button } from '../../../ui/button.tsx';
import { blockSummary } from './blocks/block-fields.ts';
import { blocksIn } from './blocks/blocks-input.tsx';

export interface TemplateBlocksProps {
  readonly form: RecordForm;
  readonly templateId: string;
}

/** The blocks that come from the template, each to be replaced or removed here. */
export function TemplateBlocks({ form, templateId }: TemplateBlocksProps) {
  const answer = useOperation(contentOperations.get, { params: { id: templateId } }, { keepPrevious: false });
  const own = blocksIn(form);
  const known = new Set(own.map(({ id }) => id));
  const put = (block: ContentBlock) => form.set('/blocks', [...own, block]);
  return (
    <Loaded answer={answer} operation={contentOperations.get}>
      {({ blocks }) => {
        const inherited = blocks.filter(({ id }) => !known.has(id));
        if (inherited.length === 0) return <p className="text-dense text-soft">{t.nothingInherited}</p>;
        return (
          <ul className="flex flex-col divide-y divide-line text-dense">
            {inherited.map((block) => {
              const name = `${t.types[block.type]} ${blockSummary(block.type, block.props)}`.trim();
              return (
                <li key={block.id} className="flex min-w-0 flex-wrap items-center gap-2 py-1.5">
                  <span className="min-w-0 grow truncate" dir="auto">
                    {name}
                  </span>
                  <Button size="small" aria-label={t.replaceBlock(name)} onClick={() => put(block)}>
                    {t.replace}
                  </Button>
                  <Button
                    size="small"
                    aria-label={t.removeBlock(name)}
                    onClick={() => put({ id: block.id, type: block.type, props: null })}
                  >
                    {t.removeInherited}
                  </Button>
                </li>
              );
            })}
          </ul>
        );
      }}
    </Loaded>
  );
}
