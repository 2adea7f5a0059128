import encodeQR from 'qr';

/** A text as a QR code: an SVG that is part of the page, dark on light in both themes, because that is what cameras read. */
export function qrSvg(text: string, label: string): string {
  const rows = encodeQR(text, 'raw', { border: 4 });
  const size = rows.length;
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`;
}
