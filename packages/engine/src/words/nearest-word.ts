/** Longer words are not compared: so long a word is not a typing mistake, and hostile ones cost nothing this way. */
const longestWord = 64;
const maxCandidates = 1_000;
const maxEdits = 6;
/** From this length on, a word is also near one that it starts with: `channelType` and `channel`. */
const shortestBeginning = 4;

/**
 * Returns the candidate that was probably meant, for messages. Counts edits (insertion, deletion, substitution, or
 * swapped neighbors; Damerau-Levenshtein as optimal string alignment), up to a third of the longer word and six.
 * Ignores case, `_ - .` and blanks. Of equally near ones, returns the first. Null when nothing is near, and for words
 * too short to judge. Bounded for any input (64 characters per word, 1,000 candidates).
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | null {
  if (word === '' || word.length > longestWord) return null;
  const wanted = plain(word);
  const rows = newRows();
  let nearest: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  let looked = 0;
  for (const candidate of candidates) {
    if (looked === maxCandidates) break;
    looked += 1;
    if (candidate === '' || candidate.length > longestWord || candidate === word) continue;
    const edits = editsBetween(wanted, plain(candidate), fewest, rows);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
    if (edits === 0) break;
  }
  return nearest;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[\s._-]/g, '');
}

/** Edits between two plain words; infinite when they are not near, or not nearer than `fewest`. */
function editsBetween(a: string, b: string, fewest: number, rows: Rows): number {
  const longer = Math.max(a.length, b.length);
  // When every letter differs, the words are not alike.
  const most = Math.min(Math.max(1, Math.floor(longer / 3)), longer - 1, maxEdits);
  const edits = distance(a, b, Math.min(most, fewest - 1), rows);
  if (edits !== Number.POSITIVE_INFINITY) return edits;
  const isBeginning = Math.min(a.length, b.length) >= shortestBeginning && (a.startsWith(b) || b.startsWith(a));
  return isBeginning ? longestWord : Number.POSITIVE_INFINITY;
}

/** The three rows of the table below that are needed at a time, for all candidates of a word. */
type Rows = readonly [Uint8Array, Uint8Array, Uint8Array];

function newRows(): Rows {
  return [new Uint8Array(longestWord + 1), new Uint8Array(longestWord + 1), new Uint8Array(longestWord + 1)];
}

/** Optimal string alignment distance; infinite above `most`. Only the cells that can stay within `most` are computed. */
function distance(a: string, b: string, most: number, rows: Rows): number {
  if (most < 0 || Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  const tooMany = most + 1;
  let [before, last, row] = rows;
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, tooMany);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row.fill(tooMany, 0, b.length + 1);
    if (from === 1) row[0] = Math.min(i, tooMany);
    const letter = a.charCodeAt(i - 1);
    let least = row[0]!;
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1);
      let edits = last[j - 1]! + (letter === other ? 0 : 1);
      if (last[j]! < edits) edits = last[j]! + 1;
      if (row[j - 1]! < edits) edits = row[j - 1]! + 1;
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        edits = Math.min(edits, before[j - 2]! + 1);
      }
      row[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    const free = before;
    before = last;
    last = row;
    row = free;
  }
  const edits = last[b.length]!;
  return edits > most ? Number.POSITIVE_INFINITY : edits;
}
