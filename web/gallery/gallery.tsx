import { mount } from '../ui/mount.tsx';
import './gallery.css';
import { apply, settingsIn } from './settings.ts';
import { Specimens } from './specimens.tsx';
import { Switches } from './switches.tsx';

const query = new URLSearchParams(location.search);
const isFrame = query.has('frame');
if (isFrame) apply(settingsIn(query));
mount(isFrame ? <Specimens /> : <Switches />);
