import { type ConditionTree, conditionTree } from '../messages/catalogue/conditions.ts';
import { segmentTexts as t } from '../messages/catalogue/segments.ts';

/** A condition as a tree: groups with a line at their side, leaves as sentences. */
export function ConditionView({ condition, otherwise }: { readonly condition: unknown; readonly otherwise: string }) {
  const tree = conditionTree(condition);
  return tree === null ? <p className="text-soft">{otherwise}</p> : <Branch tree={tree} />;
}

function Branch({ tree }: { readonly tree: ConditionTree }) {
  if (tree.kind === 'leaf') {
    return (
      <p>
        <code className="text-dense text-ink">{tree.field}</code> <span className="text-soft">{tree.requirement}</span>
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-1">
      <p className="text-caption font-medium text-faint">{tree.all ? t.all : t.any}</p>
      <ul className="flex flex-col gap-1 border-s border-line-strong ps-3">
        {tree.parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a condition have their place for a name
          <li key={at}>
            <Branch tree={part} />
          </li>
        ))}
      </ul>
    </div>
  );
}
