import { useState } from 'preact/hooks';
import type { Branding } from '../../../src/checkout/wire.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { serviceUrl } from '../../ui/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { Panel } from '../../ui/panel.tsx';
import { toast } from '../../ui/toast.tsx';
import { useRole } from '../access/session.ts';
import { patch, useLoad } from '../dashboard-api.ts';
import { BrandingPreview } from './branding-preview.tsx';
import { base64In, LOGO_TYPES, readLogo } from './logo-file.ts';

/** The logo and the accent colour of the payer's pages. */
export function BrandingPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<Branding>('/branding');
  const [saved, setSaved] = useState<Branding | null>(null);
  const branding = saved ?? loaded.value;
  return (
    <Panel title="Branding">
      <p class="soft">
        Payers see it at your checkout, at your authorization links and in the portal, in test and in live mode.
      </p>
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {branding !== null &&
        (isAdmin ? (
          <BrandingForm key={`${branding.logoPath} ${branding.accentColor}`} branding={branding} onSaved={setSaved} />
        ) : (
          <>
            <p>Accent colour: {branding.accentColor ?? 'that of the service'}</p>
            <BrandingPreview logoUrl={urlOf(branding)} accentColor={branding.accentColor} />
          </>
        ))}
    </Panel>
  );
}

function urlOf({ logoPath }: Branding): string | null {
  return logoPath && serviceUrl(logoPath);
}

const COLOR = /^#[0-9a-f]{6}$/i;

interface BrandingFormProps {
  readonly branding: Branding;
  readonly onSaved: (branding: Branding) => void;
}

function BrandingForm({ branding, onSaved }: BrandingFormProps) {
  // undefined: it stays; null: it goes.
  const [logo, setLogo] = useState<`data:${string}` | null | undefined>(undefined);
  const [fileError, setFileError] = useState<string | null>(null);
  const [color, setColor] = useState(branding.accentColor ?? '');
  const accentColor = color.trim() === '' ? null : color.trim();
  const isColor = accentColor === null || COLOR.test(accentColor);
  const logoUrl = logo === undefined ? urlOf(branding) : logo;
  const choose = (file: File) => {
    setFileError(null);
    readLogo(file).then(setLogo, (error: unknown) => setFileError(messageOf(error)));
  };
  const save = async () => {
    if (!isColor) return;
    const body = { accentColor, ...(logo === undefined ? {} : { logo: logo && base64In(logo) }) };
    onSaved(await patch<Branding>('/branding', body));
    toast('The branding is saved.', 'good');
  };
  return (
    <ActionForm action="Save the branding" run={save}>
      <FileField
        label="Logo"
        accept={LOGO_TYPES}
        hint="PNG, JPEG or WebP, at most 64 KB and 1024 pixels on each side. It is shown on white."
        error={fileError}
        onFile={choose}
      />
      {logoUrl !== null && (
        <div>
          <Button size="small" label="Remove the logo" onClick={() => setLogo(null)}>
            Remove
          </Button>
        </div>
      )}
      <div class="colour">
        <Field
          label="Accent colour"
          value={color}
          onInput={setColor}
          placeholder="#0b5f7a"
          hint="For links and the main button. Empty: the colour of the service."
          error={isColor ? null : 'Write it as # and six digits or letters from a to f, such as #0b5f7a.'}
        />
        <input
          type="color"
          aria-label="Choose the accent colour"
          value={isColor && accentColor !== null ? accentColor : '#0b5f7a'}
          onInput={({ currentTarget }) => setColor(currentTarget.value)}
        />
      </div>
      <BrandingPreview logoUrl={logoUrl} accentColor={isColor ? accentColor : null} />
    </ActionForm>
  );
}
