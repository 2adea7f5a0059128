/** A piece of a text that is in both texts, or in one of them alone. */
export interface WordPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

const most = 400;

/**
 * Two texts word by word: kept, removed and added parts. Null for texts too long to compare without a noticeable delay; they
 * are shown one below the other.
 */
export function comparedWords(before: string, after: string): readonly WordPiece[] | null {
  const [one, other] = [before.split(/(?<=\s)/), after.split(/(?<=\s)/)];
  if (one.length > most || other.length > most) return null;
  // Lengths of the longest common sequences of what follows, from the end.
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let a = one.length - 1; a >= 0; a--) {
    for (let b = other.length - 1; b >= 0; b--) {
      const [here, below] = [lengths[a]!, lengths[a + 1]!];
      here[b] = one[a] === other[b] ? below[b + 1]! + 1 : Math.max(below[b]!, here[b + 1]!);
    }
  }
  const pieces: { kind: WordPiece['kind']; text: string }[] = [];
  const add = (kind: WordPiece['kind'], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [a, b] = [0, 0];
  while (a < one.length || b < other.length) {
    if (a < one.length && b < other.length && one[a] === other[b]) {
      add('same', one[a]!);
      a += 1;
      b += 1;
    } else if (b >= other.length || (a < one.length && lengths[a + 1]![b]! >= lengths[a]![b + 1]!)) {
      add('removed', one[a]!);
      a += 1;
    } else {
      add('added', other[b]!);
      b += 1;
    }
  }
  return pieces;
}
