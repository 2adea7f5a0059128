/** Measures a text at its final size. */
export type MeasureText = (text: string) => number;

/** Scripts that are written without spaces: a line may end behind each of their characters. */
const unspaced = /[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;
/** Characters that can't start a line. */
const neverFirst = /[、。，．：；？！）】」』〉》〕ー…・,.:;!?)\]}]/u;

/** Pieces between which a line may end: words with the space behind them, and single characters of unspaced scripts. */
function* piecesOf(text: string): Generator<string> {
  let piece = '';
  let before = '';
  for (const character of text) {
    const breaks =
      piece !== '' &&
      ((before === ' ' && character !== ' ') ||
        (/[-/]/.test(before) && !/[-/\d ]/.test(character)) ||
        ((unspaced.test(before) || unspaced.test(character)) && !neverFirst.test(character) && character !== ' '));
    if (breaks) {
      yield piece;
      piece = '';
    }
    piece += character;
    before = character;
  }
  if (piece !== '') yield piece;
}

/** Cuts a piece that is wider than a line wherever a line is full. */
function* cutPieces(piece: string, width: number, measure: MeasureText): Generator<string> {
  let line = '';
  let wide = 0;
  for (const character of piece) {
    const more = measure(character);
    if (line !== '' && wide + more > width) {
      yield line;
      line = '';
      wide = 0;
    }
    line += character;
    wide += more;
  }
  if (line !== '') yield line;
}

/**
 * Breaks text into lines of at most `width`. A single wider character gets its own line. Returns one empty line for
 * empty text.
 */
export function linesOf(text: string, width: number, measure: MeasureText): string[] {
  if (!text.includes('\n') && measure(text) <= width) return [text];
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    let wide = 0;
    for (const piece of piecesOf(paragraph)) {
      const trimmed = measure(piece.trimEnd());
      if (line !== '' && wide + trimmed > width) {
        lines.push(line.trimEnd());
        line = '';
        wide = 0;
      }
      if (trimmed <= width) {
        line += piece;
        wide += measure(piece);
        continue;
      }
      const cuts = [...cutPieces(piece, width, measure)];
      const rest = cuts.pop() ?? '';
      lines.push(...cuts);
      line = rest;
      wide = measure(rest);
    }
    lines.push(line.trimEnd());
  }
  return lines;
}
