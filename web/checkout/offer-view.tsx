import type { JsonObject } from '../../machines/json.ts';
import type { Offer } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { MerchantName } from '../pay/views/merchant-name.tsx';
import { Badge } from '../ui/badge.tsx';

export function OfferView({ offer }: { readonly offer: Offer }) {
  const features = offer.features.map(featureOf).filter((feature) => feature !== null);
  return (
    <section class="stack" aria-labelledby="offer-name">
      {offer.imageUrl !== null && <img class="offer-image" src={offer.imageUrl} alt="" referrerpolicy="no-referrer" />}
      <div class="stack-tight">
        <MerchantName name={offer.merchantName} logoPath={offer.branding.logoPath} />
        <h1 id="offer-name">
          <bdi>{offer.name}</bdi>
        </h1>
        <div class="row">
          {offer.unitsLeft !== null && offer.unitsLeft > 0 && (
            <Badge>{say('checkout.units_left', { units: offer.unitsLeft })}</Badge>
          )}
        </div>
      </div>
      {offer.description !== null && (
        <p class="typed" dir="auto">
          {offer.description}
        </p>
      )}
      {features.length > 0 && (
        <ul class="features stack-tight">
          {features.map(({ title, text }) => (
            <li key={title}>
              <span class="typed" dir="auto">
                {title}
                {text !== null && <span class="soft"> {text}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The known parts of a merchant's free-form map: `title` or `name`, and `description`. */
function featureOf(map: JsonObject): { readonly title: string; readonly text: string | null } | null {
  const title = [map['title'], map['name'], map['label'], map['text']].find((each) => typeof each === 'string');
  const text = [map['description'], map['title'] === undefined ? null : map['text']].find(
    (each) => typeof each === 'string',
  );
  return title === undefined ? null : { title, text: text ?? null };
}
