// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Mandates} from "../../../../src/chains/evm/contracts/solidity/Mandates.sol";
import {Router} from "../../../../src/chains/evm/contracts/solidity/Router.sol";
import {TestToken} from "../../../../src/chains/evm/contracts/solidity/TestToken.sol";
import {HostileToken} from "../solidity/HostileToken.sol";
import {vm} from "./Vm.sol";

/// @title A wallet (EIP-1271) that answers as its mode says
contract HostileWallet {
    uint256 public mode;

    function setMode(uint256 value) external {
        mode = value;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (mode == 1) while (true) {}
        if (mode == 2) _answer(200_000);
        if (mode == 3) _refuse(200_000);
        if (mode == 4) _answer(4);
        if (mode == 5) while (gasleft() > 5_000) {}
        return this.isValidSignature.selector;
    }

    /// @notice What a hostile token calls: burns gas, refuses, or charges again.
    fallback() external {
        if (mode % 3 == 1) while (true) {}
        if (mode % 3 == 2) _refuse(200_000);
    }

    function _answer(uint256 size) private pure {
        assembly {
            return(0x00, size)
        }
    }

    function _refuse(uint256 size) private pure {
        assembly {
            revert(0x00, size)
        }
    }
}

/// @title Hostile payers, tokens and recipients beside honest ones, in batches
/// @notice Foundry calls `batch` with any numbers. It reverts with A1 if the batch reverts, or an honest charge is not made.
contract Mob {
    uint256 private constant KEY = 0xB0B;
    bytes32 private constant MERCHANT = keccak256("merchant");
    bytes32 private constant HOSTILE_MERCHANT = keccak256("hostile merchant");
    address private constant PAYEE = address(0x3001);
    address private constant REFUSING = address(0x3002);

    TestToken public immutable token = new TestToken("Honest", "H", 6, address(this));
    HostileToken public immutable hostile = new HostileToken();
    HostileWallet public immutable wallet = new HostileWallet();
    address public immutable honest = vm.addr(KEY);
    Router public immutable router;

    Mandates.Mandate private _mandate;
    bytes private _signature;
    uint24 private _cycle;
    uint256 private _keys;
    uint256 private _random;
    /// @dev What the honest payee must have.
    uint256 public expected;

    constructor() {
        address[] memory senders = new address[](2);
        (senders[0], senders[1]) = (address(this), address(hostile));
        router = new Router(address(0x1001), senders, 0, address(0));
        token.setRefusing(REFUSING, true);
        address[2] memory payers = [honest, address(wallet)];
        for (uint256 i; i < 8; ++i) {
            bytes32 merchant = i % 2 == 0 ? MERCHANT : HOSTILE_MERCHANT;
            address payer = payers[i / 4];
            token.mint(payer, 1e12);
            hostile.mint(payer, 1e12);
            address spender = i % 4 < 2 ? router.operatorOf(merchant) : router.mandateOperatorOf(merchant);
            vm.prank(payer);
            token.approve(spender, type(uint256).max);
            vm.prank(payer);
            hostile.approve(spender, type(uint256).max);
        }
        _mandate = _newMandate(honest, MERCHANT, address(token), PAYEE);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, router.mandateHash(_mandate));
        _signature = abi.encodePacked(r, s, v);
    }

    /// @notice Up to ten charges, of which some are honest, with the gas that the service gives them.
    function batch(uint256 seed) external {
        _random = seed;
        hostile.setMode(HostileToken.Mode(_pick(14)));
        wallet.setMode(_pick(6));
        bytes memory again = abi.encodeCall(Router.chargeMandate, (_honestItem(0)));
        hostile.setCallback(_pick(2) == 0 ? address(router) : address(wallet), again);
        Router.Charge[] memory open = new Router.Charge[](_pick(5));
        Mandates.MandateCharge[] memory bounded = new Mandates.MandateCharge[](1 + _pick(5));
        bool[] memory isHonest = new bool[](open.length + bounded.length);
        uint24 cycles;
        uint256 gas_ = 100_000;
        for (uint256 i; i < isHonest.length; ++i) {
            isHonest[i] = i + 1 == isHonest.length || _pick(3) == 0;
            uint256 shares;
            if (i < open.length) {
                open[i] = _openItem(isHonest[i]);
                shares = open[i].to.length;
            } else {
                Mandates.MandateCharge memory item = isHonest[i] ? _honestItem(cycles++) : _hostileItem();
                bounded[i - open.length] = item;
                shares = item.to.length;
            }
            gas_ += 800_000 + 82_000 * shares;
        }
        _cycle += cycles;
        _charge(open, bounded, isHonest, gas_);
    }

    /// @dev `gas_` is that of the transaction (`fullGasOf` of `gas-gauge.ts`); its data is paid from it.
    function _charge(
        Router.Charge[] memory open,
        Mandates.MandateCharge[] memory bounded,
        bool[] memory isHonest,
        uint256 gas_
    ) private {
        gas_ -= 21_000 + 16 * abi.encodeCall(Router.chargeMany, (open, bounded)).length;
        try router.chargeMany{gas: gas_}(open, bounded) returns (bytes[] memory reasons) {
            for (uint256 i; i < isHonest.length; ++i) {
                require(!isHonest[i] || reasons[i].length == 0, "A1: no item keeps an honest one from being charged");
                if (isHonest[i]) expected += 1;
            }
        } catch {
            revert("A1: no item makes a batch revert");
        }
    }

    function _openItem(bool isHonest) private returns (Router.Charge memory item) {
        item.key = keccak256(abi.encode(++_keys));
        (item.to, item.amounts) = _shares(isHonest);
        (item.merchant, item.token, item.from, item.gross) = (MERCHANT, address(token), honest, 1);
        if (isHonest) return item;
        item.merchant = HOSTILE_MERCHANT;
        if (_pick(4) != 0) item.token = address(hostile);
        item.from = _pick(3) == 0 ? router.depositOf(item.key) : address(wallet);
        item.gross = item.amounts.length + _pick(2);
        if (_pick(8) == 0) item.gross = _pick(2) * type(uint256).max;
    }

    function _honestItem(uint24 index) private view returns (Mandates.MandateCharge memory item) {
        (item.mandate, item.signature, item.cycle) = (_mandate, _signature, _cycle + index + 1);
        (item.to, item.amounts) = (new address[](1), new uint256[](1));
        item.to[0] = PAYEE;
        item.amounts[0] = 1;
    }

    /// @dev A charge of a hostile wallet, token or recipient, mostly sound in form.
    function _hostileItem() private returns (Mandates.MandateCharge memory item) {
        address asset = _pick(2) == 0 ? address(hostile) : address(token);
        item.mandate = _newMandate(address(wallet), HOSTILE_MERCHANT, asset, _pick(3) == 0 ? REFUSING : PAYEE);
        item.mandate.agreement = keccak256(abi.encode(++_keys));
        if (_pick(8) == 0) item.mandate.payees = new address[](_pick(60));
        item.signature = new bytes(1 + _pick(2) * _pick(2_048));
        item.cycle = uint24(_pick(8) == 0 ? _pick(2) * type(uint24).max : 1);
        (item.to, item.amounts) = _shares(false);
        if (_pick(8) == 0) item.amounts = new uint256[](_pick(20));
        if (asset == address(token)) item.to[0] = REFUSING;
    }

    function _shares(bool isHonest) private returns (address[] memory to, uint256[] memory amounts) {
        uint256 count = isHonest ? 1 : 1 + _pick(2) * _pick(18);
        (to, amounts) = (new address[](count), new uint256[](count));
        for (uint256 i; i < count; ++i) (to[i], amounts[i]) = (isHonest ? PAYEE : address(wallet), 1);
    }

    function _newMandate(
        address payer,
        bytes32 merchant,
        address asset,
        address payee
    ) private pure returns (Mandates.Mandate memory mandate) {
        (mandate.payer, mandate.merchant, mandate.token) = (payer, merchant, asset);
        (mandate.perCharge, mandate.issuedAt, mandate.payees) = (1_000, 1, new address[](2));
        (mandate.payees[0], mandate.payees[1]) = (payee, payer);
    }

    function _pick(uint256 count) private returns (uint256) {
        _random = uint256(keccak256(abi.encode(_random)));
        return _random % count;
    }
}

/// @title A1: nobody stops a batch, or the charge of somebody else
contract BatchTest {
    Mob private _mob;

    function setUp() external {
        vm.warp(1_800_000_000);
        _mob = new Mob();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_mob);
    }

    function invariant_batch() external view {
        assert(_mob.token().balanceOf(address(0x3001)) == _mob.expected());
    }
}
