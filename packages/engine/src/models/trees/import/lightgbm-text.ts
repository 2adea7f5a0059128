import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { shortenWord } from '../../../words/word-texts.ts';
import { maxCategories, maxLeaves, maxNodes } from '../forest-limits.ts';
import { categoryNames, finiteThreshold, type NameCategory, readObjective } from './lightgbm-parts.ts';
import { nestNodes } from './linked-nodes.ts';
import { checkTreeCount, featureNames, refuse } from './model-file.ts';

type Section = ReadonlyMap<string, string>;

/** The state of a model that LightGBM saved as text: `key=value` lines, one section per tree. */
export function readLightgbmText(text: string): JsonObject {
  const [header, ...sections] = text.split(/^Tree=/m);
  if (header === undefined || !header.trimStart().startsWith('tree')) refuse('', 'must start with the line "tree"');
  const head = sectionOf(header!);
  checkTreeCount(sections.length, '/Tree');
  if (/^average_output\s*$/m.test(header!))
    refuse('/average_output', 'must be absent: random forests are not supported');
  if (integer(head, 'num_class', '', 1) !== 1 || integer(head, 'num_tree_per_iteration', '', 1) !== 1) {
    refuse('/num_class', 'must be 1: models of several classes are not supported');
  }
  const scale = readObjective(head.get('objective'));
  const names = words(head.get('feature_names') ?? '');
  const features = featureNames(names, integer(head, 'max_feature_idx', '') + 1, '/feature_names');
  const nameCategory = categoryNames(pandasCategories(text), words(head.get('feature_infos') ?? ''));
  let nodes = 0;
  const trees = sections.map((section, at) => {
    const tree = sectionOf(section);
    const path = `/Tree=${at}`;
    const leaves = integer(tree, 'num_leaves', path);
    if (leaves < 1 || leaves > maxLeaves) refuse(`${path}/num_leaves`, `must be a number from 1 to ${maxLeaves}`);
    nodes += 2 * leaves - 1;
    if (nodes > maxNodes) refuse('/Tree', `must have at most ${maxNodes} splits and leaves together`);
    if ((tree.get('is_linear') ?? '0') !== '0')
      refuse(`${path}/is_linear`, 'must be 0: linear trees are not supported');
    return { tree_structure: readTree(tree, leaves, features.length, scale, nameCategory, path) };
  });
  return { feature_names: features, objective: 'binary', init_score: 0, trees };
}

function sectionOf(text: string): Section {
  const lines = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line.startsWith('end of trees')) break;
    const at = line.indexOf('=');
    if (at > 0 && !lines.has(line.slice(0, at))) lines.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  return lines;
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

function integer(section: Section, key: string, path: string, usual?: number): number {
  const text = section.get(key);
  if (text === undefined && usual !== undefined) return usual;
  const number = Number(text ?? 'none');
  return Number.isInteger(number) ? number : refuse(`${path}/${key}`, 'must be an integer');
}

function numbers(section: Section, key: string, length: number, path: string): Float64Array {
  const texts = words(section.get(key) ?? '');
  if (texts.length !== length) refuse(`${path}/${key}`, `must have ${length} numbers, not ${texts.length}`);
  return Float64Array.from(texts, (text, at) => {
    const isEndless = key === 'threshold' && /^-?inf(inity)?$/i.test(text);
    const number = isEndless ? finiteThreshold(text.startsWith('-') ? -Infinity : Infinity) : Number(text);
    return Number.isFinite(number)
      ? number
      : refuse(`${path}/${key}/${at}`, `must be a finite number, not ${shortenWord(text)}`);
  });
}

const missingTypes = ['none', 'zero', 'nan'];

function readTree(
  tree: Section,
  leaves: number,
  features: number,
  scale: number,
  nameCategory: NameCategory,
  path: string,
): JsonObject {
  const value = numbers(tree, 'leaf_value', leaves, path);
  const splits = leaves - 1;
  // A tree of one leaf says nothing else.
  if (splits === 0) return { leaf_value: value[0]! * scale };
  const column = (key: string): Float64Array => numbers(tree, key, splits, path);
  const left = column('left_child');
  const right = column('right_child');
  const feature = column('split_feature');
  const threshold = column('threshold');
  const decision = column('decision_type');
  const cover = tree.has('internal_count') ? column('internal_count') : null;
  const leafCover = tree.has('leaf_count') ? numbers(tree, 'leaf_count', leaves, path) : null;
  const sets = setsOf(tree, path);
  // Splits first, then leaves, so that a child is one number.
  const place = (child: number): number => (child < 0 ? splits - 1 - child : child);
  return nestNodes({
    root: 0,
    size: splits + leaves,
    path,
    childrenOf: (node) => (node >= splits ? null : [place(left[node]!), place(right[node]!)]),
    show(node) {
      if (node >= splits) {
        const leaf = node - splits;
        return { leaf_value: value[leaf]! * scale, ...(leafCover === null ? {} : { leaf_count: leafCover[leaf]! }) };
      }
      const split_feature = feature[node]!;
      if (!Number.isInteger(split_feature) || split_feature < 0 || split_feature >= features) {
        refuse(`${path}/split_feature/${node}`, `must be an index from 0 to ${features - 1}`);
      }
      const bits = decision[node]!;
      const isSet = (bits & 1) === 1;
      return {
        split_feature,
        threshold: isSet ? sets(threshold[node]!).map((code) => nameCategory(split_feature, code)) : threshold[node]!,
        decision_type: isSet ? '==' : '<=',
        // A missing category is in no set.
        default_left: !isSet && (bits & 2) !== 0,
        missing_type: isSet
          ? 'nan'
          : (missingTypes[(bits >> 2) & 3] ?? refuse(`${path}/decision_type/${node}`, 'has an unknown missing type')),
        ...(cover === null ? {} : { internal_count: cover[node]! }),
      };
    },
  });
}

/**
 * Returns the categories in set number `at` of a tree: bits in the words between two bounds. Bounds rise and each set is read once,
 * so that a file can't have the same words read for every split.
 */
function setsOf(tree: Section, path: string): (at: number) => readonly number[] {
  const known = new Map<number, readonly number[]>();
  let lists: { readonly bounds: readonly number[]; readonly bits: readonly number[] } | null = null;
  const numbersOf = (key: string): number[] => words(tree.get(key) ?? '').map(Number);
  return (at) => {
    const members = known.get(at);
    if (members !== undefined) return members;
    lists ??= { bounds: numbersOf('cat_boundaries'), bits: numbersOf('cat_threshold') };
    const { bounds, bits } = lists;
    if (known.size === 0 && bounds.some((bound, place) => bound < (bounds[place - 1] ?? 0))) {
      return refuse(`${path}/cat_boundaries`, 'must rise');
    }
    const [from, to] = [bounds[at] ?? Number.NaN, bounds[at + 1] ?? Number.NaN];
    if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= bits.length)) {
      return refuse(`${path}/cat_boundaries`, `must delimit set ${at}`);
    }
    const found = membersOf(bits, from, to);
    if (found.length > maxCategories) refuse(`${path}/cat_threshold`, `must have at most ${maxCategories} categories`);
    known.set(at, found);
    return found;
  };
}

function membersOf(bits: readonly number[], from: number, to: number): number[] {
  const members: number[] = [];
  for (let word = from; word < to; word++) {
    for (let bit = 0; bit < 32; bit++) if (((bits[word]! >>> bit) & 1) === 1) members.push((word - from) * 32 + bit);
  }
  return members;
}

function pandasCategories(text: string): Json {
  const line = /^pandas_categorical:(.*)$/m.exec(text)?.[1];
  if (line === undefined) return null;
  try {
    return JSON.parse(line);
  } catch {
    return refuse('/pandas_categorical', 'must be JSON');
  }
}
