import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { addId, type ConditionContext, numberOf, partId } from './condition-context.ts';
import { LeafRow } from './condition-leaf.tsx';
import {
  type ConditionGroup,
  type ConditionNode,
  type ConditionPlace,
  countLeaves,
  emptyLeaf,
  opposite,
} from './condition-model.ts';
import { RemoveButton } from './remove-button.tsx';

export interface GroupRowsProps {
  readonly node: ConditionGroup;
  readonly place: ConditionPlace;
  readonly context: ConditionContext;
  /** The outermost group, whose parts are counted. */
  readonly whole: ConditionGroup;
}

/** Limits of the API (docs/design/api-catalogue.md 1.3). */
const maxLeaves = 100;
const deepest = 9;

/** A group: how its parts combine, the parts, and what adds to it. */
export function GroupRows(props: GroupRowsProps) {
  const { node, place, context, whole } = props;
  const isTop = place.length === 0;
  const parts = (
    <>
      {node.parts.length > 1 || !isTop ? <GroupHead {...props} /> : null}
      {node.parts.length === 0 ? null : (
        <ul className="flex flex-col gap-2">
          {node.parts.map((part, at) => {
            const inner = { place: [...place, at], context };
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of a condition are identified by position
              <li key={at}>
                {part.kind === 'group' ? (
                  <GroupRows node={part} whole={whole} {...inner} />
                ) : (
                  <LeafRow node={part} {...inner} />
                )}
              </li>
            );
          })}
        </ul>
      )}
      <Adding {...props} />
    </>
  );
  if (isTop) return <div className="flex flex-col gap-2">{parts}</div>;
  return (
    <fieldset
      aria-label={t.group(numberOf(place))}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-line bg-sunken p-2"
    >
      {parts}
    </fieldset>
  );
}

/** Whether all or any of the parts must hold, and what acts on the group. */
function GroupHead({ node, place, context }: GroupRowsProps) {
  const isTop = place.length === 0;
  const { change, isFlat } = context;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <SelectField
        id={isTop ? undefined : partId(context, place)}
        label={t.logic}
        labelHidden
        className="w-40"
        options={[
          { value: 'and', label: t.all },
          { value: 'or', label: t.any },
        ]}
        value={node.logic}
        onChange={({ target }) =>
          change(place, (group) =>
            group.kind === 'group' ? { ...group, logic: target.value === 'or' ? 'or' : 'and' } : group,
          )
        }
      />
      {isFlat ? null : (
        <Button
          size="small"
          kind="quiet"
          aria-label={t.negateGroup}
          disabledReason={opposite(node) === null ? t.noOppositeReason : null}
          onClick={() => change(place, (group) => opposite(group) ?? group)}
        >
          {t.negate}
        </Button>
      )}
      {isTop ? null : <RemoveButton place={place} what={t.group(numberOf(place))} context={context} />}
    </div>
  );
}

function Adding({ node, place, context, whole }: GroupRowsProps) {
  const { change, focus, isFlat } = context;
  const full = countLeaves(whole) >= maxLeaves ? t.full : null;
  const add = (part: ConditionNode, inside: ConditionPlace = []) => {
    change(place, (group) => (group.kind === 'group' ? { ...group, parts: [...group.parts, part] } : group));
    focus(partId(context, [...place, node.parts.length, ...inside]));
  };
  return (
    <div className="flex flex-wrap gap-1.5">
      <Button size="small" id={addId(context, place)} disabledReason={full} onClick={() => add(emptyLeaf)}>
        {t.addCondition}
      </Button>
      {isFlat || node.parts.length === 0 ? null : (
        <Button
          size="small"
          kind="quiet"
          disabledReason={full ?? (place.length >= deepest ? t.deep : null)}
          onClick={() => add({ kind: 'group', logic: node.logic === 'and' ? 'or' : 'and', parts: [emptyLeaf] }, [0])}
        >
          {t.addGroup}
        </Button>
      )}
    </div>
  );
}
