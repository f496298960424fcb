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
import {Faults} from "./Faults.sol";
import {Operator} from "./Operator.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title Router: each charge once, whole, and in one transaction
/// @notice NOT AUDITED. A payer approves the operator of one merchant, an address computed from the merchant alone. The
/// router's senders ask for charges; a charge pulls its gross amount from the payer through that operator, pays all of
/// its shares and keeps nothing, or nothing of it happens. A key is charged once, for ever: that is the fence against a
/// double pull, and it outlives any database. The owner chooses senders and can pause; no payer approves again for it.
///
/// What the owner and senders are trusted with: a sender can charge whatever has been approved to any operator and send
/// it anywhere. Tokens are not trusted: they may refuse, lie, call back, burn gas or answer with megabytes, and harm
/// nobody but their own holders.
contract Router is Faults, Ownable2Step, Pausable, ReentrancyGuardTransient {
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
    /// @notice A router always has an owner: ownership is handed over, never renounced.
    error OwnerRequired();
    /// @notice This address cannot be a sender.
    error BadSender(address sender);
    /// @notice A gas budget below the least allowed, which is what was tested.
    error GasBudgetTooLow(uint256 base, uint256 perShare, uint256 leastBase, uint256 leastPerShare);
    /// @notice The transaction has too little gas left to begin a charge. It says nothing about the charge.
    error GasTooLow(uint256 available, uint256 required);
    /// @notice This key has been charged, or this refund been made, before: `chargedAt` says when.
    error Seen(bytes32 key);
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
    /// @notice The token does not tell a balance; `reason` is its revert data or its answer.
    error BalanceFailed(bytes reason);
    /// @notice Another amount arrived than was pulled (a fee on transfer, or a lie).
    error ArrivalMismatch(uint256 arrived, uint256 gross);
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

    // These two lie in the slot of the pending owner and of the pause, which every charge reads anyway.
    uint32 private _gasBase = LEAST_GAS_BASE;
    uint32 private _gasPerShare = LEAST_GAS_PER_SHARE;

    /// @notice Who may charge, refund deposits and pass on permits.
    mapping(address sender => bool) public isSender;
    mapping(bytes32 key => Mark) private _marks;

    modifier onlySender() {
        if (!isSender[msg.sender]) revert NotSender(msg.sender);
        _;
    }

    /// @param owner_ chooses senders and pauses; best not one of the senders
    /// @param senders the first senders; may be empty
    constructor(address owner_, address[] memory senders) Ownable(owner_) {
        operatorImplementation = address(new Operator());
        depositImplementation = address(new DepositForwarder());
        for (uint256 i; i < senders.length; ++i) _addSender(senders[i]);
    }

    // ------------------------------------------------------------------------------------------------- what senders do

    /// @notice Makes one charge, or reverts with the error of the rule that it breaks.
    function charge(Charge calldata item) external onlySender whenNotPaused nonReentrant {
        _charge(item);
    }

    /// @notice Makes many charges, of any merchants, tokens and payers. One that fails leaves the others alone. Each
    /// gets a gas budget of its own, so none can use up another's. A transaction with too little gas to give an item
    /// its whole budget reverts as a whole, with GasTooLow: lack of gas is never recorded as a refusal.
    /// @return reasons one for each charge: empty if it was made, else the revert data, as in its Refused event
    function chargeMany(
        Charge[] calldata items
    ) external onlySender whenNotPaused nonReentrant returns (bytes[] memory reasons) {
        reasons = new bytes[](items.length);
        for (uint256 i; i < items.length; ++i) {
            uint256 budget = gasBudget(items[i].to.length);
            try this.chargeItem{gas: budget + ENTRY_GAS}(items[i]) {} catch {
                bytes memory reason = _itemReason(budget);
                reasons[i] = reason;
                emit Refused(items[i].key, reason);
            }
        }
    }

    /// @notice One item of `chargeMany`, which alone calls this.
    function chargeItem(Charge calldata item) external {
        if (msg.sender != address(this)) revert NotSelf(msg.sender);
        _charge(item);
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

    /// @notice Passes on an EIP-2612 permit of `payer` for the operator of `merchant`. What counts is the allowance
    /// after it: a permit that somebody else has passed on first does no harm as long as the allowance covers `value`.
    function permit(
        address token,
        address payer,
        bytes32 merchant,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external onlySender whenNotPaused nonReentrant {
        if (token.code.length == 0) revert NotAToken(token);
        address spender = operatorOf(merchant);
        bytes memory data = abi.encodeCall(IERC20Permit.permit, (payer, spender, value, deadline, v, r, s));
        LowLevelCall.callNoReturn(token, data);
        bytes memory reason = TokenCalls.lastAnswer(TokenCalls.MAX_REASON);
        (, uint256 allowance) = TokenCalls.allowance(token, payer, spender);
        if (allowance < value) revert PermitFailed(allowance, value, reason);
    }

    // --------------------------------------------------------------------------------------------- what the owner does

    /// @notice Lets `sender` charge. Nothing happens if it already may.
    function addSender(address sender) external onlyOwner {
        _addSender(sender);
    }

    /// @notice Lets `sender` charge no more. Nothing happens if it may not anyway.
    function removeSender(address sender) external onlyOwner {
        if (!isSender[sender]) return;
        isSender[sender] = false;
        emit SenderRemoved(sender);
    }

    /// @notice Stops all that senders do. Allowances and deposits stay as they are.
    function pause() external onlyOwner {
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

    /// @notice The operator of `merchant`: what its payers approve. The same before and after it is made.
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
        uint256 count = item.to.length;
        if (count != item.amounts.length) revert SharesUneven(count, item.amounts.length);
        if (count > MAX_SHARES) revert TooManyShares(count, MAX_SHARES);
        address operator = operatorOf(item.merchant);
        uint256 sum;
        for (uint256 i; i < count; ++i) {
            address to = item.to[i];
            if (to == address(0) || to == item.token || to == address(this) || to == operator) {
                revert BadRecipient(i, to);
            }
            (bool fits, uint256 next) = Math.tryAdd(sum, item.amounts[i]);
            if (!fits) revert SharesMismatch(type(uint256).max, item.gross);
            sum = next;
        }
        if (sum != item.gross) revert SharesMismatch(sum, item.gross);
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

    /// @dev Why the item just called failed. No data means that its own frame ran out of gas. GasTooLow is not about
    /// the item but about the transaction, and ends that: no token can make it up, as what tokens say is always
    /// wrapped. An item that ran out before it could check its gas had so little that the 1/64 left out here ends in
    /// a revert.
    function _itemReason(uint256 budget) private pure returns (bytes memory reason) {
        reason = TokenCalls.lastAnswer(MAX_ITEM_REASON);
        if (reason.length == 0) return abi.encodeWithSelector(OutOfGas.selector, budget);
        if (bytes4(reason) == GasTooLow.selector) LowLevelCall.bubbleRevert(reason);
    }

    function _addSender(address sender) private {
        if (sender == address(0) || sender == address(this)) revert BadSender(sender);
        if (isSender[sender]) return;
        isSender[sender] = true;
        emit SenderAdded(sender);
    }
}
