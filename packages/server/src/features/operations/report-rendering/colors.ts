/** Colors of a report, light and dark; text reaches 4.5:1 and lines of charts 3:1 on their background. */
export const colors = {
  light: {
    page: '#f6f7f6',
    sheet: '#ffffff',
    sunken: '#f3f5f3',
    line: '#e0e4e1',
    axis: '#828a85',
    ink: '#171a18',
    soft: '#565f59',
    accent: '#1a4fae',
    series: ['#2f6fde', '#b4530a', '#0e7f79', '#9a3b8f', '#6b7a10', '#c13b4a', '#5458c9', '#6b6f72'],
  },
  dark: {
    page: '#0f1211',
    sheet: '#161a18',
    sunken: '#1d2220',
    line: '#2b322e',
    axis: '#6f7a74',
    ink: '#e8ece9',
    soft: '#a7b1ab',
    accent: '#8db6ff',
    series: ['#6ba1ff', '#f0a35a', '#4cc5bc', '#e08fd6', '#bccb55', '#ff8d97', '#a5a8ff', '#a9afb2'],
  },
} as const;

export type Palette = (typeof colors)['light' | 'dark'];
