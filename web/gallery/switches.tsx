import { useState } from 'preact/hooks';
import { Select } from '../ui/select.tsx';
import { useTitle } from '../ui/use-title.ts';
import { frameUrl, type Settings, settingsIn, USUAL } from './settings.ts';

const WIDTHS = { wide: 'frame-wide', narrow: 'frame-narrow' } as const;

const SWITCHES = [
  [
    'scheme',
    'Colours',
    [
      ['system', 'of the system'],
      ['light', 'light'],
      ['dark', 'dark'],
    ],
  ],
  [
    'direction',
    'Direction',
    [
      ['ltr', 'left to right'],
      ['rtl', 'right to left'],
    ],
  ],
  [
    'text',
    'Text',
    [
      ['100', '100 %'],
      ['200', '200 %'],
    ],
  ],
] as const;

/** The switches above a frame with all specimens. */
export function Switches() {
  useTitle('Gallery');
  const [settings, setSettings] = useState<Settings>(USUAL);
  const [width, setWidth] = useState<keyof typeof WIDTHS>('wide');
  const set = (name: keyof Settings) => (value: string) => {
    setSettings((before) => settingsIn(new URLSearchParams({ ...before, [name]: value })));
  };
  return (
    <main class="gallery">
      <h1>Gallery of web/ui</h1>
      <div class="switches">
        {SWITCHES.map(([name, label, options]) => (
          <Select key={name} label={label} value={settings[name]} onChange={set(name)} options={options} />
        ))}
        <Select
          label="Width"
          value={width}
          onChange={(chosen) => setWidth(chosen === 'narrow' ? 'narrow' : 'wide')}
          options={[
            ['wide', 'wide'],
            ['narrow', '375 px'],
          ]}
        />
      </div>
      <iframe class={WIDTHS[width]} title="The specimens" src={frameUrl(settings)} />
    </main>
  );
}
