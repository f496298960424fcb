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
/// @notice NOT AUDITED. A payer approves the operator of one merchant, an address computed from the merchant alone. The
/// router's senders ask for charges; a charge pulls its gross amount from the payer through that operator, pays all of
/// its shares and keeps nothing, or nothing of it happens. A key is charged once, for ever: that is the fence against a
/// double pull, and it outlives any database. The owner chooses senders and can pause; no payer approves again for it.
///
/// A merchant has two operators. From the mandate operator the router pulls only what a mandate allows that the payer has
/// signed: nobody can take more, sooner, or for others, with whatever keys. From the open operator a sender can charge all
/// that was approved to it, and send it anywhere: that is trust in the senders' keys.
///
/// The owner chooses senders and the guardian, and can pause; the guardian can only pause, remove senders, and withdraw
/// announced payees. Tokens are not trusted: they may refuse, lie, call back, burn gas or answer with megabytes, and harm
/// nobody but their own holders.
contract Router is Mandates, Ownable2Step, Pausable, ReentrancyGuardTransient {
    /// @notice One charge: who pays how much of what, and who gets it.
    /// @param key names the charge for ever: hash of subscription and cycle, or of the payment
    /// @param merchant hash of the merchant's id and mode; the salt of its operator
    /// @param token the ERC-20 contract
    /// @param from the payer; `depositOf(key)` to charge what was sent there
    /// @param gross what is pulled, in base units; the sum of `amounts`
    /// @param to who is paid; `to[i]` gets `amounts[i]`
    /// @param amounts an amount of zero is a share that nothing is transferred for; it stays in the event
    struct Charge {
        bytes32 key;
        bytes32 merchant;
        address token;
        address from;
        uint256 gross;
        address[] to;
        uint256[] amounts;
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
    /// @notice The caller is neither the owner nor the guardian.
    error NotGuardian(address caller);
    /// @notice This address cannot be paid.
    error BadPayee(address payee);
    /// @notice A router always has an owner: ownership is handed over, never renounced.
    error OwnerRequired();
    /// @notice This address cannot be a sender.
    error BadSender(address sender);
    /// @notice A gas budget below the least allowed, which is what was tested.
    error GasBudgetTooLow(uint256 base, uint256 perShare, uint256 leastBase, uint256 leastPerShare);
    /// @notice The transaction has too little gas left to begin a charge. It says nothing about the charge.
    error GasTooLow(uint256 available, uint256 required);
    /// @notice A charge of nothing.
    error ZeroGross(bytes32 key);
    /// @notice `to` and `amounts` differ in length.
    error SharesUneven(uint256 recipients, uint256 amounts);
    /// @notice More shares than a charge may have.
    error TooManyShares(uint256 attempted, uint256 allowed);
    /// @notice The shares do not add up to the gross amount. A sum beyond 2^256 - 1 is given as that.
    error SharesMismatch(uint256 sum, uint256 gross);
    /// @notice Money sent there would be lost or come back: the zero address, the token, the router or the operator.
    error BadRecipient(uint256 index, address recipient);
    /// @notice There is no contract at the token's address.
    error NotAToken(address token);
    /// @notice A share could not be paid; `reason` is the token's revert data or its answer.
    error ShareFailed(uint256 index, bytes reason);
    /// @notice After all shares the router's balance is not what it was before the charge.
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
    /// @notice The refund `refund`: of what was sent to `depositOf(key)`, this was given back (the zero address stands for
    /// the native coin).
    event DepositRefunded(
        bytes32 indexed refund,
        bytes32 indexed key,
        address indexed to,
        address token,
        uint256 amount
    );
    /// @notice `sender` may charge from now on.
    event SenderAdded(address indexed sender);
    /// @notice `sender` may not charge any more.
    event SenderRemoved(address indexed sender);
    /// @notice From `from` on (Unix seconds), charges under mandates may pay `payee` for `merchant`.
    event PayeeAnnounced(bytes32 indexed merchant, address indexed payee, uint256 from);
    /// @notice `payee` was announced for `merchant`, and counts no more.
    event PayeeWithdrawn(bytes32 indexed merchant, address indexed payee);
    /// @notice The guardian, from now on.
    event GuardianChanged(address indexed guardian);
    /// @notice A charge of n shares gets `base + n * perShare` gas from now on.
    event GasBudgetChanged(uint256 base, uint256 perShare);

    /// @notice The most shares that a charge may have.
    uint256 public constant MAX_SHARES = 16;
    /// @notice The least, and first, gas for a charge without its shares.
    uint32 public constant LEAST_GAS_BASE = 300_000;
    /// @notice The least, and first, gas for each share.
    uint32 public constant LEAST_GAS_PER_SHARE = 80_000;

    /// @dev What a call into `chargeItem` uses before it checks its gas.
    uint256 private constant ENTRY_GAS = 10_000;
    /// @dev How much of a failed item's revert data is kept: a token's reason within the error that carries it.
    uint256 private constant MAX_ITEM_REASON = TokenCalls.MAX_REASON + 256;

    /// @notice What every merchant's operator is a clone of. Made by the constructor, first.
    address public immutable operatorImplementation;
    /// @notice What every deposit forwarder is a clone of. Made by the constructor, second.
    address public immutable depositImplementation;
    /// @notice What every merchant's mandate operator is a clone of. Made by the constructor, third.
    address public immutable mandateImplementation;

    // These two lie in the slot of the pending owner and of the pause, which every charge reads anyway.
    uint32 private _gasBase = LEAST_GAS_BASE;
    uint32 private _gasPerShare = LEAST_GAS_PER_SHARE;

    /// @notice How long an announced payee waits before it may be paid, in seconds. Set once, by the constructor.
    uint32 public payeeDelay;
    /// @notice Who may pause, remove senders and withdraw announced payees, besides the owner; zero: nobody.
    address public guardian;

    /// @notice Who may charge, refund deposits and pass on permits.
    mapping(address sender => bool) public isSender;
    mapping(bytes32 key => Mark) private _marks;
    /// @dev From when on an announced payee may be paid; 0: it is not announced.
    mapping(bytes32 merchant => mapping(address payee => uint256 from)) private _announced;

    modifier onlySender() {
        if (!isSender[msg.sender]) revert NotSender(msg.sender);
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

    /// @param owner_ chooses senders and pauses; best not one of the senders
    /// @param senders the first senders; may be empty
    /// @param payeeDelay_ seconds; for ever
    constructor(address owner_, address[] memory senders, uint32 payeeDelay_) Ownable(owner_) {
        operatorImplementation = address(new Operator());
        depositImplementation = address(new DepositForwarder());
        mandateImplementation = address(new MandateOperator());
        payeeDelay = payeeDelay_;
        for (uint256 i; i < senders.length; ++i) _addSender(senders[i]);
    }

    // ------------------------------------------------------------------------------------------------- what senders do

    /// @notice Makes one charge, or reverts with the error of the rule that it breaks.
    function charge(Charge calldata item) external onlySender whenNotPaused nonReentrant {
        _charge(item);
    }

    /// @notice Makes one charge under a mandate, or reverts with the error of the rule that it breaks.
    function chargeMandate(MandateCharge calldata item) external onlySender whenNotPaused nonReentrant {
        _chargeMandate(item);
    }

    /// @notice Makes many charges, of any merchants, tokens and payers: first the open ones, then those under mandates. One
    /// that fails leaves the others alone. Each gets a gas budget of its own, so none can use up another's. A transaction
    /// with too little gas to give an item its whole budget reverts as a whole, with GasTooLow: lack of gas is never
    /// recorded as a refusal.
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

    /// @notice One open item of `chargeMany`, which alone calls this.
    function chargeItem(Charge calldata item) external onlySelf {
        _charge(item);
    }

    /// @notice One item of `chargeMany` under a mandate, which alone calls this.
    function chargeMandateItem(MandateCharge calldata item) external onlySelf {
        _chargeMandate(item);
    }

    /// @notice Announces a payee of a merchant. Charges under mandates that do not name it may pay it once `payeeDelay` is
    /// over. Nothing happens if it is announced already.
    function announcePayee(bytes32 merchant, address payee) external onlySender whenNotPaused {
        if (payee == address(0) || payee == address(this)) revert BadPayee(payee);
        if (_announced[merchant][payee] != 0) return;
        uint256 from = block.timestamp + payeeDelay;
        _announced[merchant][payee] = from;
        emit PayeeAnnounced(merchant, payee, from);
    }

    /// @notice Gives back `amount` of what was sent to `depositOf(key)`: of `token`, or of the native coin if that is
    /// the zero address. Goes from the forwarder straight to `to`, so that no refund resembles a charge; the key stays
    /// as it was, charged or not. `refund` names the refund for ever, as a key names a charge: it is made once.
    function refundDeposit(
        bytes32 key,
        bytes32 refund,
        address token,
        address to,
        uint256 amount
    ) external onlySender whenNotPaused nonReentrant {
        if (_marks[refund].blockNumber != 0) revert Seen(refund);
        if (amount == 0) revert ZeroRefund(key);
        if (token != address(0) && token.code.length == 0) revert NotAToken(token);
        DepositForwarder forwarder = DepositForwarder(_clone(depositImplementation, key));
        if (to == address(0) || to == token || to == address(this) || to == address(forwarder)) {
            revert BadRecipient(0, to);
        }
        _marks[refund] = Mark(uint64(block.number), uint64(block.timestamp));
        emit DepositRefunded(refund, key, to, token, amount);
        forwarder.refund(token, to, amount);
    }

    /// @notice Passes on an EIP-2612 permit of `payer` for the mandate operator of `merchant`, or for its open operator. What
    /// counts is the allowance after it: a permit that somebody else has passed on first does no harm as long as the
    /// allowance covers `value`.
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

    // -------------------------------------------------------------------------- what the owner does, or the guardian

    /// @notice Lets `sender` charge. Nothing happens if it already may.
    function addSender(address sender) external onlyOwner {
        _addSender(sender);
    }

    /// @notice Names the guardian; zero: nobody.
    function setGuardian(address guardian_) external onlyOwner {
        guardian = guardian_;
        emit GuardianChanged(guardian_);
    }

    /// @notice Lets `sender` charge no more. Nothing happens if it may not anyway.
    function removeSender(address sender) external onlyGuardian {
        if (!isSender[sender]) return;
        isSender[sender] = false;
        emit SenderRemoved(sender);
    }

    /// @notice Takes back the announcement of a payee. Nothing happens if there is none.
    function withdrawPayee(bytes32 merchant, address payee) external onlyGuardian {
        if (_announced[merchant][payee] == 0) return;
        delete _announced[merchant][payee];
        emit PayeeWithdrawn(merchant, payee);
    }

    /// @notice Stops all that senders do. Allowances and deposits stay as they are.
    function pause() external onlyGuardian {
        _pause();
    }

    /// @notice Ends the pause.
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Sets the gas that a charge gets, for a day when a chain prices its operations anew.
    function setGasBudget(uint32 base, uint32 perShare) external onlyOwner {
        if (base < LEAST_GAS_BASE || perShare < LEAST_GAS_PER_SHARE) {
            revert GasBudgetTooLow(base, perShare, LEAST_GAS_BASE, LEAST_GAS_PER_SHARE);
        }
        _gasBase = base;
        _gasPerShare = perShare;
        emit GasBudgetChanged(base, perShare);
    }

    /// @notice Always reverts: without an owner nobody could pause, or replace a lost sender.
    function renounceOwnership() public view override onlyOwner {
        revert OwnerRequired();
    }

    // -------------------------------------------------------------------------------------------- what anybody can see

    /// @notice The mandate operator of `merchant`: what payers approve who sign a mandate. The same before and after it is
    /// made.
    function mandateOperatorOf(bytes32 merchant) public view returns (address) {
        return Clones.predictDeterministicAddress(mandateImplementation, merchant);
    }

    /// @notice From when on charges under mandates may pay `payee` for `merchant` without being named in the mandate, in
    /// Unix seconds; 0: it is not announced.
    function payeeFrom(bytes32 merchant, address payee) external view returns (uint256) {
        return _announced[merchant][payee];
    }

    /// @notice The open operator of `merchant`: what payers approve who sign no mandate. The same before and after it is made.
    function operatorOf(bytes32 merchant) public view returns (address) {
        return Clones.predictDeterministicAddress(operatorImplementation, merchant);
    }

    /// @notice The deposit address of the charge `key`. The same before and after a forwarder is made there.
    function depositOf(bytes32 key) public view returns (address) {
        return Clones.predictDeterministicAddress(depositImplementation, key);
    }

    /// @notice Whether `key` has been charged; of the key of a refund, whether that has been made.
    function seen(bytes32 key) external view returns (bool) {
        return _marks[key].blockNumber != 0;
    }

    /// @notice The block that `key` was charged in, as the chain numbers it to contracts (Arbitrum gives the number of
    /// a block of Ethereum), and its time in Unix seconds; zeros if it never was. The same of the key of a refund.
    function chargedAt(bytes32 key) external view returns (uint256 blockNumber, uint256 timestamp) {
        Mark storage mark = _marks[key];
        return (mark.blockNumber, mark.timestamp);
    }

    /// @notice How much gas a charge with this many shares gets, and has to find when it begins.
    function gasBudget(uint256 shares) public view returns (uint256) {
        return uint256(_gasBase) + uint256(_gasPerShare) * Math.min(shares, MAX_SHARES);
    }

    // ------------------------------------------------------------------------------------------------------ one charge

    /// @dev The charge is noted before anything outside is called, and a revert takes that back with all the rest. Tokens go
    /// from the payer straight to each recipient.
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

    /// @dev `this.chargeMandateItem(item)`, with the bytes of the item copied as they are: to decode and encode them again would
    /// be a tenth of a charge's gas.
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

    /// @dev Where the bytes of item `i` end in the call data: at the next item, or at the end of all.
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

    function _isAnnounced(bytes32 merchant, address payee) internal view override returns (bool) {
        uint256 from = _announced[merchant][payee];
        return from != 0 && block.timestamp >= from;
    }

    function _mandateBudget(MandateCharge calldata item) private view returns (uint256) {
        return gasBudget(item.to.length) + (item.signature.length == 0 ? 0 : SIGNATURE_GAS);
    }

    /// @dev The key is marked before anything outside is called, and a revert takes the mark back with all the rest.
    function _charge(Charge calldata item) private {
        uint256 budget = gasBudget(item.to.length);
        if (gasleft() < budget) revert GasTooLow(gasleft(), budget);
        if (_marks[item.key].blockNumber != 0) revert Seen(item.key);
        _checkShares(item);
        if (item.token.code.length == 0) revert NotAToken(item.token);
        _marks[item.key] = Mark(uint64(block.number), uint64(block.timestamp));

        uint256 before = _balance(item.token);
        _pull(item);
        uint256 holding = _balance(item.token);
        uint256 arrived = holding > before ? holding - before : 0;
        if (arrived != item.gross) revert ArrivalMismatch(arrived, item.gross);
        _payShares(item);
        holding = _balance(item.token);
        if (holding != before) revert Residue(holding, before);

        emit Charged(item.key, item.merchant, item.from, item.token, item.gross, item.to, item.amounts);
    }

    function _checkShares(Charge calldata item) private view {
        if (item.gross == 0) revert ZeroGross(item.key);
        uint256 sum = _sumOfShares(item.gross, item.token, item.to, item.amounts, operatorOf(item.merchant));
        if (sum != item.gross) revert SharesMismatch(sum, item.gross);
    }

    /// @param limit the sum is this or less; only a sum beyond 2^256 - 1 is an error here
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

    /// @dev A deposit is emptied by its own key only; any other `from` is a payer who must have approved the operator.
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

    function _balance(address token) private view returns (uint256) {
        uint256 given = gasleft();
        (bool done, uint256 balance) = TokenCalls.balanceOf(token, address(this));
        if (!done) revert BalanceFailed(TokenCalls.why(given));
        return balance;
    }

    /// @dev The clone of `implementation` at its computed address, made if it is not there yet.
    function _clone(address implementation, bytes32 salt) private returns (address clone) {
        clone = Clones.predictDeterministicAddress(implementation, salt);
        if (clone.code.length == 0) Clones.cloneDeterministic(implementation, salt);
    }

    /// @dev Notes that the item just called failed, and why. No data means that its own frame ran out of gas. GasTooLow is
    /// not about the item but about the transaction, and ends that: no token can make it up, as what tokens say is always
    /// wrapped. An item that ran out before it could check its gas had so little that the 1/64 left out here ends in a
    /// revert.
    function _refuse(bytes32 key, uint256 budget) private returns (bytes memory reason) {
        reason = TokenCalls.lastAnswer(MAX_ITEM_REASON);
        if (reason.length == 0) reason = abi.encodeWithSelector(OutOfGas.selector, budget);
        else if (bytes4(reason) == GasTooLow.selector) LowLevelCall.bubbleRevert(reason);
        emit Refused(key, reason);
    }

    function _addSender(address sender) private {
        if (sender == address(0) || sender == address(this)) revert BadSender(sender);
        if (isSender[sender]) return;
        isSender[sender] = true;
        emit SenderAdded(sender);
    }
}
