import { type Condition, canonicalJson, type PlanOffer, type SnapshotRule } from '@arbiter/engine';
import { enabledNodes } from './check-flow.ts';
import { type Finding, finding, quoted } from './findings.ts';
import { type ConditionSource, type Formula, negate, nothingFixed, ofCondition, storedCondition } from './formula.ts';
import { ruleFormula } from './rule-gates.ts';
import type { Solver } from './solver.ts';
import type { CheckInput, Subject } from './subject.ts';
import { nodeSubject } from './ways.ts';

/** A condition of the catalogue, with its place. */
interface Placed {
  readonly subject: Subject;
  readonly source: ConditionSource;
}

export function conditionsOf({ snapshot }: Pick<CheckInput, 'snapshot'>): Placed[] {
  const found: Placed[] = [];
  for (const { id, name, eligibility } of snapshot.offers) {
    if (eligibility?.conditions === undefined || eligibility.conditions === null) continue;
    found.push({
      subject: { type: 'offer', id, name, path: '/eligibility/conditions' },
      source: { condition: eligibility.conditions },
    });
  }
  for (const { id, name, targeting } of snapshot.placements) {
    if (targeting === undefined || targeting === null) continue;
    found.push({ subject: { type: 'placement', id, name, path: '/targeting' }, source: { condition: targeting } });
  }
  for (const { id, name, ruleType, config } of snapshot.rules) {
    if (ruleType !== 'attribute_condition' || config.onMissing === 'pass') continue;
    const { attribute, operator, value } = config;
    const condition = value === undefined ? { field: attribute, operator } : { field: attribute, operator, value };
    found.push({ subject: { type: 'qualificationRule', id, name, path: '/config' }, source: { condition } });
  }
  for (const { id, name, ruleType, config } of snapshot.policies) {
    if (ruleType !== 'do_not_contact' || config.condition === undefined || config.condition === null) continue;
    found.push({
      subject: { type: 'contactPolicy', id, name, path: '/config/condition' },
      source: { condition: config.condition },
    });
  }
  for (const place of enabledNodes(snapshot)) {
    const { type, config = {} } = place.node;
    if (
      (type !== 'filter' && type !== 'conditional') ||
      !Array.isArray(config.conditions) ||
      config.conditions.length === 0
    )
      continue;
    const combinator = config.combinator === 'OR' ? 'OR' : 'AND';
    found.push({ subject: nodeSubject(place, '/config/conditions'), source: { list: config.conditions, combinator } });
  }
  return found;
}

/** Conditions, or parts of them, that hold for everyone or for nobody. */
export function checkConditions(input: CheckInput, solver: Solver): Finding[] {
  return conditionsOf(input).flatMap(({ subject, source }) => {
    const stored = storedCondition(source);
    if (stored === null) return [];
    const inside = 'list' in source ? '' : '/conditions';
    return partsOf(stored, subject.path, inside).flatMap(({ condition, path, context }) =>
      constantFinding({ ...subject, path }, condition, context, solver),
    );
  });
}

interface Part {
  readonly condition: Condition;
  readonly path: string;
  /** Conditions that hold at the same time: the other members of the enclosing `and` groups. */
  readonly context: readonly Condition[];
}

/** The whole and the parts, those outside first. */
export function partsOf(
  condition: Condition,
  path: string,
  inside: string,
  context: readonly Condition[] = [],
): Part[] {
  const own: Part = { condition, path, context };
  if (!('conditions' in condition) || condition.conditions.length < 2) return [own];
  return [
    own,
    ...condition.conditions.flatMap((part, at) => {
      const others = condition.logic === 'and' ? condition.conditions.filter((_, other) => other !== at) : [];
      return partsOf(part, `${path}${inside}/${at}`, '/conditions', [...context, ...others]);
    }),
  ];
}

function constantFinding(
  subject: Subject,
  condition: Condition,
  context: readonly Condition[],
  solver: Solver,
): Finding[] {
  const formula = ofCondition(condition, nothingFixed);
  const around = context.map((one) => ofCondition(one, nothingFixed));
  const isNever = (...formulas: Formula[]): boolean => solver.solve(formulas).verdict === 'never';
  // A context that never holds is reported on its own.
  if (isNever(...around)) return [];
  if (isNever(formula)) {
    return [finding('condition_always_false', subject, `This condition of ${quoted(subject.name)} never holds.`)];
  }
  if (isNever(negate(formula)) || (around.length > 0 && isNever(...around, negate(formula)))) {
    return [
      finding(
        'condition_always_true',
        subject,
        `This condition of ${quoted(subject.name)} has no effect: it always holds${around.length > 0 ? ' when the others do' : ''}.`,
      ),
    ];
  }
  return [];
}

/** Rules that an earlier rule already decides, and rules that are there twice. */
export function checkRules({ snapshot }: CheckInput, solver: Solver): Finding[] {
  const found: Finding[] = [];
  const rules = snapshot.rules.filter(({ stage }) => stage === 'eligibility' || stage === 'fit').toSorted(byOrder);
  const formulas = rules.map((rule) => ({ rule, formula: ruleFormula(rule), variables: variablesOf(rule) }));
  for (const [at, later] of formulas.entries()) {
    const earlier = formulas.slice(0, at).find((one) => decides(one, later, solver));
    if (earlier === undefined) continue;
    const subject: Subject = { type: 'qualificationRule', id: later.rule.id, name: later.rule.name, path: '/config' };
    const before: Subject = {
      type: 'qualificationRule',
      id: earlier.rule.id,
      name: earlier.rule.name,
      path: '/config',
    };
    const isSame = contentOf(earlier.rule) === contentOf(later.rule);
    found.push(
      isSame
        ? finding(
            'rule_duplicate',
            subject,
            `${quoted(later.rule.name)} repeats the rule ${quoted(earlier.rule.name)}.`,
            { core: [before] },
          )
        : finding(
            'condition_shadowed',
            subject,
            `${quoted(later.rule.name)} has no effect: everyone who passes ${quoted(earlier.rule.name)} also passes it.`,
            { core: [before] },
          ),
    );
  }
  return found;
}

interface ReadRule {
  readonly rule: SnapshotRule;
  readonly formula: Formula;
  readonly variables: string;
}

const variablesOf = ({ config }: SnapshotRule): string =>
  `${config.attribute ?? ''}${JSON.stringify(config.requiredSegments ?? '')}`;

const contentOf = ({ ruleType, config, stage }: SnapshotRule): string => canonicalJson({ ruleType, config, stage });

/** True when the first covers the second's scope, and nobody passes the first and fails the second. */
function decides(first: ReadRule, second: ReadRule, solver: Solver): boolean {
  if (first.variables !== second.variables || !covers(first.rule, second.rule)) return false;
  if (contentOf(first.rule) === contentOf(second.rule)) return true;
  if (/"(offer|channel)\./.test(JSON.stringify(second.rule.config)) || second.rule.ruleType === 'offer_attribute')
    return false;
  return (
    solver.solve([first.formula, negate(second.formula)]).verdict === 'never' &&
    solver.solve([first.formula]).verdict !== 'never'
  );
}

const covers = (first: SnapshotRule, second: SnapshotRule): boolean =>
  first.scopes.some(({ scope }) => scope === 'global') ||
  second.scopes.every((one) =>
    first.scopes.some(({ scope, scopeId }) => scope === one.scope && scopeId === one.scopeId),
  );

function byOrder(a: SnapshotRule, b: SnapshotRule): number {
  const stage = (rule: SnapshotRule): number => (rule.stage === 'eligibility' ? 0 : 1);
  return stage(a) - stage(b) || b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Mandatory offers that nobody sees, and those that exclude each other. */
export function checkMandatory(
  { snapshot, now }: CheckInput,
  nevers: ReadonlySet<string>,
  offers: readonly PlanOffer[],
): Finding[] {
  const forced = offers.filter(
    ({ row }) => row.mandatory && (row.mandatoryExpiresAt === null || row.mandatoryExpiresAt > now),
  );
  const ids = new Set(forced.map(({ id }) => id));
  const found = forced
    .filter(({ id }) => nevers.has(id))
    .map(({ id, row }) =>
      finding(
        'mandatory_conflict',
        { type: 'offer', id, name: row.name, path: '/mandatory' },
        `${quoted(row.name)} is mandatory but never shown.`,
      ),
    );
  for (const { id, name, ruleType, config, scopes } of snapshot.policies) {
    if (ruleType !== 'mutual_exclusion' || config.bypassable !== false) continue;
    const group = new Set([
      ...(Array.isArray(config.excludeOfferIds) ? config.excludeOfferIds : []),
      ...scopes.map(({ scopeId }) => scopeId),
    ]);
    if ([...group].filter((one) => typeof one === 'string' && ids.has(one)).length < 2) continue;
    found.push(
      finding(
        'mandatory_conflict',
        { type: 'contactPolicy', id, name, path: '/config' },
        `${quoted(name)} keeps mandatory offers from being shown together.`,
      ),
    );
  }
  return found;
}
