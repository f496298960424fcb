import { serviceUrl } from '../../ui/api.ts';

export interface MerchantNameProps {
  readonly name: string;
  /** Below the root of the service; null: none. */
  readonly logoPath: `/${string}` | null;
}

/** Who sells, with the logo. It says nothing that the name does not, so screen readers pass over it. */
export function MerchantName({ name, logoPath }: MerchantNameProps) {
  return (
    <p class="row soft">
      {logoPath !== null && <img class="logo" src={serviceUrl(logoPath)} alt="" />}
      <bdi>{name}</bdi>
    </p>
  );
}
