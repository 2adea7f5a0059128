/** The grammar of docs/design/api-decisioning.md 9, again from the page: a source becomes a tree. */
export type Tree =
  | { readonly is: 'value'; readonly value: Value }
  | { readonly is: 'path'; readonly names: readonly string[] }
  | { readonly is: 'call'; readonly name: string; readonly of: readonly Tree[] }
  | { readonly is: 'unary'; readonly sign: string; readonly of: Tree }
  | { readonly is: 'binary'; readonly sign: string; readonly left: Tree; readonly right: Tree }
  | { readonly is: 'choice'; readonly test: Tree; readonly yes: Tree; readonly no: Tree };

export type Value = number | string | boolean | null;

const token =
  /\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\|\||&&|[=!<>]=|[-+*/%!<>?:(),.])/y;

/** Binary signs, weakest first; each level joins from the left. */
const levels = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']];

/** Null: not a formula. */
export function treeOf(source: string): Tree | null {
  const words: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < source.trimEnd().length) {
    const found = token.exec(source);
    if (found === null) return null;
    words.push(found[1]!);
  }
  let at = 0;
  let isWrong = false;
  const takes = (word: string): boolean => words[at] === word && at++ >= 0;
  const wants = (word: string): void => {
    if (!takes(word)) isWrong = true;
  };

  function whole(): Tree {
    const test = binary(0);
    if (isWrong || !takes('?')) return test;
    const yes = whole();
    wants(':');
    return { is: 'choice', test, yes, no: whole() };
  }

  function binary(level: number): Tree {
    const signs = levels[level];
    if (signs === undefined) return unary();
    let left = binary(level + 1);
    while (!isWrong && at < words.length && signs.includes(words[at]!)) {
      const sign = words[at++]!;
      left = { is: 'binary', sign, left, right: binary(level + 1) };
    }
    return left;
  }

  function unary(): Tree {
    const sign = words[at];
    if (sign !== '-' && sign !== '!') return primary();
    at += 1;
    return { is: 'unary', sign, of: unary() };
  }

  function primary(): Tree {
    const word = words[at++];
    if (word === undefined || isWrong) {
      isWrong = true;
      return { is: 'value', value: null };
    }
    if (word === '(') {
      const inner = whole();
      wants(')');
      return inner;
    }
    if (/^\d/.test(word)) return { is: 'value', value: Number(word) };
    if (/^["']/.test(word)) return { is: 'value', value: textOf(word) };
    if (word === 'true' || word === 'false') return { is: 'value', value: word === 'true' };
    if (word === 'null') return { is: 'value', value: null };
    if (!/^[A-Za-z_]/.test(word)) {
      isWrong = true;
      return { is: 'value', value: null };
    }
    if (takes('(')) {
      const of: Tree[] = [];
      if (takes(')')) return { is: 'call', name: word, of };
      do of.push(whole());
      while (!isWrong && takes(','));
      wants(')');
      return { is: 'call', name: word, of };
    }
    const names = [word];
    while (takes('.')) names.push(words[at++] ?? '');
    return { is: 'path', names };
  }

  const tree = whole();
  return isWrong || at < words.length ? null : tree;
}

const textOf = (quoted: string): string =>
  quoted
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code, char) =>
      code !== undefined
        ? String.fromCharCode(Number.parseInt(code, 16))
        : ({ n: '\n', t: '\t' }[char as string] ?? char),
    );
