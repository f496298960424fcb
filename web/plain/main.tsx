import '../ui/theme.css';
import '../ui/components.css';
import '../pay/pay.css';
