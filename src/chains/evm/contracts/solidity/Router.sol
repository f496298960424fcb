// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {DepositForwarder} from "./DepositForwarder.sol";
import {MandateOperator} from "./MandateOperator.sol";
import {Mandates} from "./Mandates.sol";
import {Operator} from "./Operator.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title Router: each charge once, whole, and in one transaction
/// @notice NOT AUDITED. A sender asks for a charge. The charge pulls its gross amount from the payer through an operator of
/// the merchant and pays all shares, or it changes nothing. The router charges a key only once: that prevents a double pull,
/// even if the service loses its database.
///
/// A merchant has two operators. Payers approve one of them; its address depends on the router and the merchant alone. From
/// the mandate operator, the router pulls only what a mandate allows that the payer has signed: no key can take more, sooner,
/// or for others. From the open operator, a sender can charge all that was approved to it, and send it anywhere: payers who
/// approve it trust the keys of the senders.
///
/// The owner chooses senders and the guardian, and can pause. The guardian can only pause, remove senders, and withdraw
/// announced payees. The router does not trust tokens: they may refuse, lie, call back, burn gas or return megabytes, and harm
/// only their own holders.
contract Router is Mandates, Ownable2Step, Pausable, ReentrancyGuardTransient {
    /// @notice One charge: who pays how much of what, and who gets it.
    /// @param key names the charge for ever: hash of subscription and cycle, or of the payment
    /// @param merchant hash of the merchant's id and mode; the salt of its operator
    /// @param token the ERC-20 contract
    /// @param from the payer, or `depositOf(key)` to charge a deposit
    /// @param gross the amount that is pulled, in base units; the sum of `amounts`
    /// @param to the recipients; `to[i]` gets `amounts[i]`
    /// @param amounts an amount of zero is a share without a transfer; the event has it all the same
    struct Charge {
        bytes32 key;
        bytes32 merchant;
        address token;
        address from;
        uint256 gross;
        address[] to;
        uint256[] amounts;
    }

    /// @dev A payee that a sender has announced, in one slot.
    /// @param from when charges can pay it, in seconds of the router's clock, and in Unix seconds once one has; 0: it is not
    /// announced
    /// @param term the announcing sender's term; 0: the owner has confirmed the announcement
    /// @param used whether a charge has paid it
    struct Announcement {
        address sender;
        uint40 from;
        uint40 term;
        bool used;
    }

    /// @dev The sender that has confirmed another one's announcement.
    struct Confirmation {
        address sender;
        uint40 term;
    }

    /// @dev When a key was charged, in one slot. The number is never 0 once charged.
    struct Mark {
        uint64 blockNumber;
        uint64 timestamp;
    }

    /// @notice The caller is not one of the senders.
    error NotSender(address caller);
    /// @notice Only the router itself may call this.
    error NotSelf(address caller);
    /// @notice The caller is not the owner, and not the guardian.
    error NotGuardian(address caller);
    /// @notice This address cannot be paid.
    error BadPayee(address payee);
    /// @notice The payee is not announced, or its announcement has lapsed.
    error NotAnnounced(bytes32 merchant, address payee);
    /// @notice A router always has an owner: ownership can be handed over, and not renounced.
    error OwnerRequired();
    /// @notice This address cannot be a sender.
    error BadSender(address sender);
    /// @notice A gas budget below the tested minimum.
    error GasBudgetTooLow(uint256 base, uint256 perShare, uint256 leastBase, uint256 leastPerShare);
    /// @notice The transaction has too little gas left to begin a charge. The charge itself may be sound.
    error GasTooLow(uint256 available, uint256 required);
    /// @notice A charge of nothing.
    error ZeroGross(bytes32 key);
    /// @notice `to` and `amounts` differ in length.
    error SharesUneven(uint256 recipients, uint256 amounts);
    /// @notice More shares than a charge may have.
    error TooManyShares(uint256 attempted, uint256 allowed);
    /// @notice The shares do not add up to the gross amount. `sum` is 2^256 - 1 if the sum is greater than that.
    error SharesMismatch(uint256 sum, uint256 gross);
    /// @notice Money sent there would be lost or come back: the zero address, the token, the router or the operator.
    error BadRecipient(uint256 index, address recipient);
    /// @notice There is no contract at the token's address.
    error NotAToken(address token);
    /// @notice A share could not be paid; `reason` is the token's revert data or its answer.
    error ShareFailed(uint256 index, bytes reason);
    /// @notice After all shares, the balance of the router differs from its balance before the charge.
    error Residue(uint256 balance, uint256 expected);
    /// @notice A refund of nothing.
    error ZeroRefund(bytes32 key);
    /// @notice The allowance does not cover the permit's value, and the token did not take the permit.
    error PermitFailed(uint256 allowance, uint256 value, bytes reason);

    /// @notice A charge: `gross` left `from`, and each of `to` got its amount, in this transaction.
    event Charged(
        bytes32 indexed key,
        bytes32 indexed merchant,
        address indexed from,
        address token,
        uint256 gross,
        address[] to,
        uint256[] amounts
    );
    /// @notice One charge of a batch did not happen; nothing of it moved. `reason` is one of the errors above.
    event Refused(bytes32 indexed key, bytes reason);
    /// @notice The refund `refund` returned a part of the deposit at `depositOf(key)`. A `token` of zero is the native
    /// coin.
    event DepositRefunded(
        bytes32 indexed refund,
        bytes32 indexed key,
        address indexed to,
        address token,
        uint256 amount
    );
    /// @notice `from` has returned `amount` of the charge `key` to `to`, directly.
    event Refunded(bytes32 indexed key, address indexed from, address indexed to, address token, uint256 amount);
    /// @notice `sender` may charge from now on.
    event SenderAdded(address indexed sender);
    /// @notice `sender` can no longer charge. The payees that it alone has announced, and no charge has paid, are no
    /// longer announced.
    event SenderRemoved(address indexed sender);
    /// @notice From `from` on (Unix seconds; each pause moves it), charges under mandates may pay `payee` for `merchant`.
    event PayeeAnnounced(bytes32 indexed merchant, address indexed payee, uint256 from);
    /// @notice `by`, the owner or another sender, has confirmed the announcement of `payee` for `merchant`.
    event PayeeConfirmed(bytes32 indexed merchant, address indexed payee, address indexed by);
    /// @notice The announcement of `payee` for `merchant` was withdrawn.
    event PayeeWithdrawn(bytes32 indexed merchant, address indexed payee);
    /// @notice There is a new guardian; zero: there is none.
    event GuardianChanged(address indexed guardian);
    /// @notice A charge of n shares gets `base + n * perShare` gas from now on.
    event GasBudgetChanged(uint256 base, uint256 perShare);

    /// @notice The most shares that a charge may have.
    uint256 public constant MAX_SHARES = 16;
    /// @notice The minimum gas for a charge without its shares, and its first value.
    uint32 public constant LEAST_GAS_BASE = 300_000;
    /// @notice The minimum gas for each share, and its first value.
    uint32 public constant LEAST_GAS_PER_SHARE = 80_000;

    /// @dev The gas that `chargeItem` uses before it checks its gas.
    uint256 private constant ENTRY_GAS = 10_000;
    /// @dev The most bytes of a failed item's revert data: an error with a token's reason in it.
    uint256 private constant MAX_ITEM_REASON = TokenCalls.MAX_REASON + 256;

    /// @notice The implementation of every merchant's operator. The constructor creates it first.
    address public immutable operatorImplementation;
    /// @notice The implementation of every deposit forwarder. The constructor creates it second.
    address public immutable depositImplementation;
    /// @notice The implementation of every merchant's mandate operator. The constructor creates it third.
    address public immutable mandateImplementation;

    // These two are in the storage slot of the pending owner and the pause, which every charge reads anyway.
    uint32 private _gasBase = LEAST_GAS_BASE;
    uint32 private _gasPerShare = LEAST_GAS_PER_SHARE;

    /// @notice An announcement that no charge has used for this long after its delay lapses.
    uint256 public constant ANNOUNCEMENT_LAPSE = 90 days;

    // The next four are in one slot.
    /// @notice The seconds for which an announced payee waits. The constructor sets it for ever.
    uint32 public payeeDelay;
    /// @dev When the present pause began, or the last one.
    uint32 private _pausedAt;
    /// @dev The seconds of all earlier pauses.
    uint32 private _pausedFor;
    /// @notice The guardian can pause, remove senders and withdraw announced payees, like the owner. Zero: there is
    /// none.
    address public guardian;

    /// @dev The term of a sender: another number each time it is added; 0: it is not a sender.
    mapping(address sender => uint40) private _termOf;
    uint40 private _terms;
    mapping(bytes32 key => Mark) private _marks;
    mapping(bytes32 merchant => mapping(address payee => Announcement)) private _announced;
    /// @dev The other sender that has confirmed an announcement, and its term.
    mapping(bytes32 merchant => mapping(address payee => Confirmation)) private _confirmed;

    modifier onlySender() {
        if (_termOf[msg.sender] == 0) revert NotSender(msg.sender);
        _;
    }

    modifier onlySelf() {
        if (msg.sender != address(this)) revert NotSelf(msg.sender);
        _;
    }

    modifier onlyGuardian() {
        if (msg.sender != guardian && msg.sender != owner()) revert NotGuardian(msg.sender);
        _;
    }

    /// @param owner_ chooses senders and pauses; it should not be one of the senders
    /// @param senders the first senders; may be empty
    /// @param payeeDelay_ the seconds for which announced payees wait; it never changes
    /// @param guardian_ the first guardian; zero: there is none
    constructor(address owner_, address[] memory senders, uint32 payeeDelay_, address guardian_) Ownable(owner_) {
        operatorImplementation = address(new Operator());
        depositImplementation = address(new DepositForwarder());
        mandateImplementation = address(new MandateOperator());
        payeeDelay = payeeDelay_;
        _setGuardian(guardian_);
        for (uint256 i; i < senders.length; ++i) _addSender(senders[i]);
    }

    // -------------------------------------------------------------------------------------------------------- senders

    /// @notice Makes one charge, or reverts with the error of the rule that it breaks.
    function charge(Charge calldata item) external onlySender whenNotPaused nonReentrant {
        _charge(item);
    }

    /// @notice Makes one charge under a mandate, or reverts with the error of the rule that it breaks.
    function chargeMandate(MandateCharge calldata item) external onlySender whenNotPaused nonReentrant {
        _chargeMandate(item);
    }

    /// @notice Makes many charges, of any merchants, tokens and payers: first the open ones, then those under mandates.
    /// A failed charge does not affect the others. Each charge has its own gas budget, so none can use up another's. If
    /// the gas of the transaction does not cover a whole budget, everything reverts with GasTooLow: lack of gas is
    /// never recorded as a refusal.
    /// @return reasons one for each charge: empty if it was made, else the revert data, as in its Refused event
    function chargeMany(
        Charge[] calldata open,
        MandateCharge[] calldata bounded
    ) external onlySender whenNotPaused nonReentrant returns (bytes[] memory reasons) {
        reasons = new bytes[](open.length + bounded.length);
        for (uint256 i; i < open.length; ++i) {
            uint256 budget = gasBudget(open[i].to.length);
            try this.chargeItem{gas: budget + ENTRY_GAS}(open[i]) {} catch {
                reasons[i] = _refuse(open[i].key, budget);
            }
        }
        for (uint256 i; i < bounded.length; ++i) {
            MandateCharge calldata item = bounded[i];
            uint256 budget = _mandateBudget(item);
            if (!_callMandateItem(item, _endOf(bounded, i), budget + ENTRY_GAS)) {
                reasons[open.length + i] = _refuse(cycleKey(item.mandate.agreement, item.cycle), budget);
            }
        }
    }

    /// @notice One open item of `chargeMany`. Only `chargeMany` calls it.
    function chargeItem(Charge calldata item) external onlySelf {
        _charge(item);
    }

    /// @notice One item of `chargeMany` under a mandate. Only `chargeMany` calls it.
    function chargeMandateItem(MandateCharge calldata item) external onlySelf {
        _chargeMandate(item);
    }

    /// @notice Announces a payee of a merchant. After `payeeDelay`, charges under mandates can pay it, although the
    /// mandates do not name it. Time in which the router is paused does not count. A second announcement changes
    /// nothing, unless the first one has lapsed.
    function announcePayee(bytes32 merchant, address payee) external onlySender whenNotPaused {
        if (payee == address(0) || payee == address(this)) revert BadPayee(payee);
        if (_isAnnounced(merchant, payee)) return;
        uint40 from = uint40(_clock() + payeeDelay);
        _announced[merchant][payee] = Announcement(msg.sender, from, _termOf[msg.sender], false);
        delete _confirmed[merchant][payee];
        emit PayeeAnnounced(merchant, payee, block.timestamp + payeeDelay);
    }

    /// @notice Confirms the announcement of a payee: it stays when the sender that made it is removed. A confirmation of
    /// the owner holds for good, one of a sender as long as it is a sender.
    function confirmPayee(bytes32 merchant, address payee) external {
        bool isOwner = msg.sender == owner();
        if (!isOwner && _termOf[msg.sender] == 0) revert NotSender(msg.sender);
        if (!_isAnnounced(merchant, payee)) revert NotAnnounced(merchant, payee);
        if (isOwner) _announced[merchant][payee].term = 0;
        else _confirmed[merchant][payee] = Confirmation(msg.sender, _termOf[msg.sender]);
        emit PayeeConfirmed(merchant, payee, msg.sender);
    }

    /// @notice Refunds `amount` of the deposit at `depositOf(key)`, of `token` or, if that is zero, of the native coin.
    /// The forwarder pays `to` directly, so no refund resembles a charge. The state of `key` does not change. `refundKey`
    /// names the refund: the router makes it once.
    function refundDeposit(
        bytes32 key,
        bytes32 refundKey,
        address token,
        address to,
        uint256 amount
    ) external onlySender whenNotPaused nonReentrant {
        if (_marks[refundKey].blockNumber != 0) revert Seen(refundKey);
        if (amount == 0) revert ZeroRefund(key);
        if (token != address(0) && token.code.length == 0) revert NotAToken(token);
        DepositForwarder forwarder = DepositForwarder(_clone(depositImplementation, key));
        if (to == address(0) || to == token || to == address(this) || to == address(forwarder)) {
            revert BadRecipient(0, to);
        }
        _marks[refundKey] = Mark(uint64(block.number), uint64(block.timestamp));
        emit DepositRefunded(refundKey, key, to, token, amount);
        forwarder.refund(token, to, amount);
    }

    /// @notice Submits an EIP-2612 permit of `payer` for the merchant's mandate operator, or for its open operator.
    /// Only the allowance after it counts. If somebody else has submitted the permit first, the call succeeds as long
    /// as the allowance covers `value`.
    function permit(
        address token,
        address payer,
        bytes32 merchant,
        bool isBounded,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external onlySender whenNotPaused nonReentrant {
        if (token.code.length == 0) revert NotAToken(token);
        address spender = isBounded ? mandateOperatorOf(merchant) : operatorOf(merchant);
        bytes memory data = abi.encodeCall(IERC20Permit.permit, (payer, spender, value, deadline, v, r, s));
        LowLevelCall.callNoReturn(token, data);
        bytes memory reason = TokenCalls.lastAnswer(TokenCalls.MAX_REASON);
        (, uint256 allowance) = TokenCalls.allowance(token, payer, spender);
        if (allowance < value) revert PermitFailed(allowance, value, reason);
    }

    // ------------------------------------------------------------------------------------------------------- merchants

    /// @notice Returns `amount` of `token`, a part of the charge `key`, from the caller, who has approved this router, to
    /// `to`. Only the event names the charge: whoever reads it compares the caller with the charge's recipients.
    function refund(bytes32 key, address token, address to, uint256 amount) external nonReentrant {
        if (amount == 0) revert ZeroRefund(key);
        if (token.code.length == 0) revert NotAToken(token);
        if (to == address(0) || to == token || to == address(this)) revert BadRecipient(0, to);
        uint256 before = _balance(token, to);
        uint256 given = gasleft();
        if (!TokenCalls.pull(token, msg.sender, to, amount)) revert RefundFailed(TokenCalls.why(given));
        uint256 balance = _balance(token, to);
        uint256 arrived = balance > before ? balance - before : 0;
        if (arrived != amount) revert ArrivalMismatch(arrived, amount);
        emit Refunded(key, msg.sender, to, token, amount);
    }

    // ------------------------------------------------------------------------------------------------ owner, guardian

    /// @notice Adds a sender. Adding it again changes nothing.
    function addSender(address sender) external onlyOwner {
        _addSender(sender);
    }

    /// @notice Sets the guardian; zero removes it.
    function setGuardian(address guardian_) external onlyOwner {
        _setGuardian(guardian_);
    }

    /// @notice Removes a sender, and the announcements that it alone has made and no charge has used. Removing an unknown
    /// one changes nothing.
    function removeSender(address sender) external onlyGuardian {
        if (_termOf[sender] == 0) return;
        delete _termOf[sender];
        emit SenderRemoved(sender);
    }

    /// @notice Withdraws the announcement of a payee. Withdrawing an unknown one changes nothing.
    function withdrawPayee(bytes32 merchant, address payee) external onlyGuardian {
        if (_announced[merchant][payee].from == 0) return;
        delete _announced[merchant][payee];
        emit PayeeWithdrawn(merchant, payee);
    }

    /// @notice Stops all actions of senders. Allowances and deposits stay as they are.
    function pause() external onlyGuardian {
        _pause();
        _pausedAt = uint32(block.timestamp);
    }

    /// @notice Ends the pause.
    function unpause() external onlyOwner {
        _unpause();
        _pausedFor += uint32(block.timestamp) - _pausedAt;
    }

    /// @notice Sets the gas budget of charges, for a day on which a chain changes the prices of its operations.
    function setGasBudget(uint32 base, uint32 perShare) external onlyOwner {
        if (base < LEAST_GAS_BASE || perShare < LEAST_GAS_PER_SHARE) {
            revert GasBudgetTooLow(base, perShare, LEAST_GAS_BASE, LEAST_GAS_PER_SHARE);
        }
        _gasBase = base;
        _gasPerShare = perShare;
        emit GasBudgetChanged(base, perShare);
    }

    /// @notice Always reverts: without an owner nobody could pause the router or replace a lost sender.
    function renounceOwnership() public view override onlyOwner {
        revert OwnerRequired();
    }

    // ---------------------------------------------------------------------------------------------------------- views

    /// @notice The address of the merchant's mandate operator: payers who sign a mandate approve it. It is the same
    /// before and after its creation.
    function mandateOperatorOf(bytes32 merchant) public view returns (address) {
        return Clones.predictDeterministicAddress(mandateImplementation, merchant);
    }

    /// @notice When charges under mandates can pay `payee` for `merchant` although no mandate names it, in Unix seconds; two
    /// zeros: it is not announced.
    /// @return from the first moment; a pause moves it
    /// @return until the last moment, as long as no charge has used the announcement; then 2^40 - 1
    function announcementOf(bytes32 merchant, address payee) external view returns (uint256 from, uint256 until) {
        if (!_isAnnounced(merchant, payee)) return (0, 0);
        Announcement storage known = _announced[merchant][payee];
        if (known.used) return (known.from, type(uint40).max);
        from = known.from + (block.timestamp - _clock());
        until = from + ANNOUNCEMENT_LAPSE;
    }

    /// @notice True if `account` is one of the senders: they can charge, refund deposits, submit permits, and announce and
    /// confirm payees.
    function isSender(address account) external view returns (bool) {
        return _termOf[account] != 0;
    }

    /// @notice The address of the merchant's open operator: payers who sign no mandate approve it. It is the same
    /// before and after its creation.
    function operatorOf(bytes32 merchant) public view returns (address) {
        return Clones.predictDeterministicAddress(operatorImplementation, merchant);
    }

    /// @notice The deposit address of the charge `key`. It is the same before and after the creation of its forwarder.
    function depositOf(bytes32 key) public view returns (address) {
        return Clones.predictDeterministicAddress(depositImplementation, key);
    }

    /// @notice True if `key` has been charged; for the key of a refund, if it was made.
    function seen(bytes32 key) external view returns (bool) {
        return _marks[key].blockNumber != 0;
    }

    /// @notice The block in which `key` was charged, and its time in Unix seconds; zeros if it was not charged. The
    /// same for the key of a refund. On Arbitrum, the number is of a block of Ethereum.
    function chargedAt(bytes32 key) external view returns (uint256 blockNumber, uint256 timestamp) {
        Mark storage mark = _marks[key];
        return (mark.blockNumber, mark.timestamp);
    }

    /// @notice The gas budget of a charge with this many shares. A charge needs all of it to begin.
    function gasBudget(uint256 shares) public view returns (uint256) {
        return uint256(_gasBase) + uint256(_gasPerShare) * Math.min(shares, MAX_SHARES);
    }

    // ----------------------------------------------------------------------------------------------------- one charge

    /// @dev Stores the charge before it calls other contracts; a revert undoes that as well. Tokens go from the payer
    /// directly to each recipient.
    function _chargeMandate(MandateCharge calldata item) private {
        uint256 budget = _mandateBudget(item);
        if (gasleft() < budget) revert GasTooLow(gasleft(), budget);
        Mandate calldata mandate = item.mandate;
        bytes32 key = cycleKey(mandate.agreement, item.cycle);
        address operator = mandateOperatorOf(mandate.merchant);
        uint256 gross = _sumOfShares(mandate.perCharge, mandate.token, item.to, item.amounts, operator);
        if (gross == 0) revert ZeroGross(key);
        if (mandate.token.code.length == 0) revert NotAToken(mandate.token);
        _useMandate(item, key, gross);
        if (operator.code.length == 0) Clones.cloneDeterministic(mandateImplementation, mandate.merchant);
        MandateOperator(operator).pull(mandate.token, mandate.payer, item.to, item.amounts);
        emit Charged(key, mandate.merchant, mandate.payer, mandate.token, gross, item.to, item.amounts);
    }

    /// @dev `this.chargeMandateItem(item)`, with a plain copy of the item's bytes. To decode and encode them again
    /// would take a tenth of a charge's gas.
    function _callMandateItem(MandateCharge calldata item, uint256 end, uint256 gas_) private returns (bool done) {
        bytes4 selector = this.chargeMandateItem.selector;
        assembly ("memory-safe") {
            let data := mload(0x40)
            let size := sub(end, item)
            mstore(data, selector)
            mstore(add(data, 0x04), 0x20)
            calldatacopy(add(data, 0x24), item, size)
            done := call(gas_, address(), 0, data, add(size, 0x24), 0x00, 0x00)
        }
    }

    /// @dev The end of the bytes of item `i` in the call data: the next item, or the end of the call data.
    function _endOf(MandateCharge[] calldata items, uint256 i) private pure returns (uint256 end) {
        MandateCharge calldata item = items[i];
        MandateCharge calldata next = items[i + 1 < items.length ? i + 1 : i];
        assembly ("memory-safe") {
            end := next
            if iszero(gt(end, item)) {
                end := calldatasize()
            }
        }
    }

    function _useAnnouncement(bytes32 merchant, address payee, uint256 amount) internal override returns (bool) {
        if (!_isAnnounced(merchant, payee)) return false;
        Announcement storage known = _announced[merchant][payee];
        if (known.used) return true;
        if (_clock() < known.from) return false;
        if (amount != 0) (known.from, known.used) = (known.from + _pausedFor, true);
        return true;
    }

    /// @dev True if the payee is announced, even if its delay has not passed. A used announcement holds for good.
    function _isAnnounced(bytes32 merchant, address payee) private view returns (bool) {
        Announcement memory known = _announced[merchant][payee];
        if (known.used) return true;
        if (known.from == 0 || _clock() > known.from + ANNOUNCEMENT_LAPSE) return false;
        if (known.term == 0 || known.term == _termOf[known.sender]) return true;
        Confirmation memory confirmed = _confirmed[merchant][payee];
        return confirmed.term != 0 && confirmed.term == _termOf[confirmed.sender];
    }

    /// @dev Unix seconds without those of all pauses.
    function _clock() private view returns (uint256) {
        return (paused() ? _pausedAt : block.timestamp) - _pausedFor;
    }

    function _mandateBudget(MandateCharge calldata item) private view returns (uint256) {
        return gasBudget(item.to.length) + (item.signature.length == 0 ? 0 : SIGNATURE_GAS);
    }

    /// @dev Marks the key before it calls other contracts; a revert undoes that as well.
    function _charge(Charge calldata item) private {
        uint256 budget = gasBudget(item.to.length);
        if (gasleft() < budget) revert GasTooLow(gasleft(), budget);
        if (_marks[item.key].blockNumber != 0) revert Seen(item.key);
        _checkShares(item);
        if (item.token.code.length == 0) revert NotAToken(item.token);
        _marks[item.key] = Mark(uint64(block.number), uint64(block.timestamp));

        uint256 before = _balance(item.token, address(this));
        _pull(item);
        uint256 holding = _balance(item.token, address(this));
        uint256 arrived = holding > before ? holding - before : 0;
        if (arrived != item.gross) revert ArrivalMismatch(arrived, item.gross);
        _payShares(item);
        holding = _balance(item.token, address(this));
        if (holding != before) revert Residue(holding, before);

        emit Charged(item.key, item.merchant, item.from, item.token, item.gross, item.to, item.amounts);
    }

    function _checkShares(Charge calldata item) private view {
        if (item.gross == 0) revert ZeroGross(item.key);
        uint256 sum = _sumOfShares(item.gross, item.token, item.to, item.amounts, operatorOf(item.merchant));
        if (sum != item.gross) revert SharesMismatch(sum, item.gross);
    }

    /// @param limit the amount for SharesMismatch if the sum exceeds 2^256 - 1; the caller compares all other sums
    function _sumOfShares(
        uint256 limit,
        address token,
        address[] calldata to,
        uint256[] calldata amounts,
        address operator
    ) private view returns (uint256 sum) {
        uint256 count = to.length;
        if (count != amounts.length) revert SharesUneven(count, amounts.length);
        if (count > MAX_SHARES) revert TooManyShares(count, MAX_SHARES);
        for (uint256 i; i < count; ++i) {
            address recipient = to[i];
            if (
                recipient == address(0) || recipient == token || recipient == address(this) || recipient == operator
            ) revert BadRecipient(i, recipient);
            (bool fits, uint256 next) = Math.tryAdd(sum, amounts[i]);
            if (!fits) revert SharesMismatch(type(uint256).max, limit);
            sum = next;
        }
    }

    /// @dev A deposit pays only for the charge of its own key. Every other `from` is a payer who has approved the
    /// operator.
    function _pull(Charge calldata item) private {
        if (item.from == depositOf(item.key)) {
            DepositForwarder(_clone(depositImplementation, item.key)).pull(item.token, item.gross);
        } else {
            Operator(_clone(operatorImplementation, item.merchant)).pull(item.token, item.from, item.gross);
        }
    }

    function _payShares(Charge calldata item) private {
        for (uint256 i; i < item.to.length; ++i) {
            if (item.amounts[i] == 0) continue;
            uint256 given = gasleft();
            bool done = TokenCalls.push(item.token, item.to[i], item.amounts[i]);
            if (!done) revert ShareFailed(i, TokenCalls.why(given));
        }
    }

    function _balance(address token, address account) private view returns (uint256) {
        uint256 given = gasleft();
        (bool done, uint256 balance) = TokenCalls.balanceOf(token, account);
        if (!done) revert BalanceFailed(TokenCalls.why(given));
        return balance;
    }

    /// @dev The clone of `implementation` at its computed address; creates it if necessary.
    function _clone(address implementation, bytes32 salt) private returns (address clone) {
        clone = Clones.predictDeterministicAddress(implementation, salt);
        if (clone.code.length == 0) Clones.cloneDeterministic(implementation, salt);
    }

    /// @dev Records that the item just called failed, and why. Empty revert data means that its frame ran out of gas.
    /// GasTooLow concerns the transaction and not the item, and reverts everything. No token can fake it, because
    /// answers of tokens are always inside other errors. An item that ran out of gas before its check leaves so little
    /// gas (1/64) that this function reverts too.
    function _refuse(bytes32 key, uint256 budget) private returns (bytes memory reason) {
        reason = TokenCalls.lastAnswer(MAX_ITEM_REASON);
        if (reason.length == 0) reason = abi.encodeWithSelector(OutOfGas.selector, budget);
        else if (bytes4(reason) == GasTooLow.selector) LowLevelCall.bubbleRevert(reason);
        emit Refused(key, reason);
    }

    function _setGuardian(address guardian_) private {
        guardian = guardian_;
        emit GuardianChanged(guardian_);
    }

    function _addSender(address sender) private {
        if (sender == address(0) || sender == address(this)) revert BadSender(sender);
        if (_termOf[sender] != 0) return;
        _termOf[sender] = ++_terms;
        emit SenderAdded(sender);
    }
}
