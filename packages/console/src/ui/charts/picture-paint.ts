/** A color in the format of picture files, and its opacity. */
export interface Paint {
  /** `#6ba1ff`. */
  readonly color: string;
  /** 0 to 1. */
  readonly opacity: number;
}

const nothing: Paint = { color: '#000000', opacity: 0 };

/** Converts the browser's computed color to `#rrggbb`, because image viewers ignore formats they don't know. */
export function paintOf(computed: string): Paint {
  const [, name, inside = ''] = /^(rgba?|color)\(([^)]*)\)$/.exec(computed.trim()) ?? [];
  if (name === undefined) return nothing;
  const numbers = inside
    .replace('srgb', '')
    .split(/[\s,/]+/)
    .filter((part) => part !== '')
    .map(Number);
  const [red, green, blue, opacity = 1] = numbers;
  if (red === undefined || green === undefined || blue === undefined || numbers.some(Number.isNaN)) return nothing;
  const scale = name === 'color' ? 255 : 1;
  const hex = [red, green, blue].map((part) =>
    Math.round(part * scale)
      .toString(16)
      .padStart(2, '0'),
  );
  return { color: `#${hex.join('')}`, opacity };
}

/** A text that needs `needed` px, cut to `room` px with an ellipsis as the browser cuts it. */
export function cutTo(text: string, room: number, needed: number): string {
  if (needed <= room + 1) return text;
  const fitting = Math.floor((text.length * room) / needed) - 1;
  return fitting < 1 ? '' : `${text.slice(0, fitting).trimEnd()}…`;
}
